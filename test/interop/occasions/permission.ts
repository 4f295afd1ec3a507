import type { Occasion } from "../occasion.ts";
import { modelTexts, toolResults, userTexts } from "../texts.ts";
import { performTool } from "../tool.ts";
import { inputOf, toolOf } from "./pre-tool.ts";

/** The user is about to be asked; here the answer is yes after a second. */
export const permissionRequest: Occasion = {
  drive: (scene) => ({
    prompt: "Go.",
    script: { main: [{ tool: toolOf(scene), input: inputOf(scene) }, "Done."] },
    user: { afterMs: 1_000, answer: ({ input }) => ({ behavior: "allow", updatedInput: input }) },
  }),

  seen(run) {
    const refusal = toolResults(run).find((result) => result.isError);
    return {
      went: toolResults(run).length > 0 && refusal === undefined,
      reason: refusal?.text,
      ...(run.questions.some((asked) => asked.answered) ? { asked: true } : {}),
      model: modelTexts(run),
      user: userTexts(run),
    };
  },

  async carriedOut({ fire }, scene) {
    const outcome = await fire();
    const went = outcome.decision !== "deny";
    if (went) performTool(toolOf(scene), outcome.updatedInput ?? inputOf(scene), scene.project);
    return {
      went,
      reason: went ? undefined : outcome.reason,
      ...(outcome.decision === "none" ? { asked: true } : {}),
      model: [outcome.reason ?? ""],
      user: outcome.systemMessages,
    };
  },
};
