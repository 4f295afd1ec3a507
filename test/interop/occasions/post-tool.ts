import type { Occasion, SeenRun } from "../occasion.ts";
import { firstMatch, modelTexts, userTexts } from "../texts.ts";
import { performTool } from "../tool.ts";
import { inputOf, preTool, stoppedByHook, toolOf } from "./pre-tool.ts";

/** A tool has run, well or badly. Whatever hooks say, it happened; their words go to the model. */
export const postTool: Occasion = {
  drive: preTool.drive,

  seen: (run, scene) => ({
    went: true,
    reason: firstMatch(
      modelTexts(run),
      new RegExp(`${scene.event}:${toolOf(scene)} hook blocking error from command: ${words}`),
    ),
    ...(stoppedByHook(run) ? { stopped: true } : {}),
    model: modelTexts(run),
    user: userTexts(run),
  }),

  async carriedOut({ fire }, scene) {
    const stdout = performTool(toolOf(scene), inputOf(scene), scene.project);
    const outcome = await fire();
    const response = outcome.output.updatedToolOutput ?? stdout;
    return {
      went: true,
      reason: outcome.decision === "deny" ? outcome.reason : undefined,
      ...(outcome.continue ? {} : { stopped: true }),
      // A loop that ends tells its model nothing more.
      model: outcome.continue ? [JSON.stringify(response), outcome.reason ?? "", ...outcome.additionalContext] : [],
      user: outcome.systemMessages,
    };
  },
};

/** All calls of one turn are settled; a block means that the model is not called again. */
export const postToolBatch: Occasion = {
  drive: (scene) => {
    const calls = scene.payload["tool_calls"] as readonly { readonly tool_name: string; readonly tool_input: object }[];
    return {
      prompt: "Go.",
      script: { main: [calls.map((call) => ({ tool: call.tool_name, input: call.tool_input })), "Done."] },
      args: ["--allowedTools", ...new Set(calls.map((call) => call.tool_name))],
    };
  },

  seen: (run) => ({ went: mainCalls(run) > 1, model: modelTexts(run), user: userTexts(run) }),

  async carriedOut({ fire }) {
    const outcome = await fire();
    const went = !outcome.blocked && outcome.continue;
    return { went, model: went ? outcome.additionalContext : [], user: outcome.systemMessages };
  },
};

function mainCalls(run: SeenRun): number {
  return run.requests.filter((request) => request.purpose === "main").length;
}

const words = "([\\s\\S]*?)(?=\\n</system-reminder>|$)";
