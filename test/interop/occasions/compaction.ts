import type { Occasion } from "../occasion.ts";
import { modelTexts, unquoted, userTexts } from "../texts.ts";

/** A conversation is about to be compacted, at the request of the user. There must be one first. */
export const preCompact: Occasion = {
  drive: (scene) => ({
    before: {
      prompt: "Go.",
      script: {
        main: [
          { tool: "Bash", input: { command: "echo one" } },
          { tool: "Bash", input: { command: "echo two" } },
          "Done.",
        ],
      },
    },
    prompt: `/compact ${scene.payload["custom_instructions"] ?? ""}`.trim(),
    script: {},
  }),

  seen(run) {
    const went = run.requests.some((request) => request.purpose === "compaction");
    const text = unquoted(String(run.results.at(-1)?.result ?? ""), run);
    return {
      went,
      reason: went ? undefined : text.replace(/^.*Compaction blocked by PreCompact hook: /s, ""),
      model: modelTexts(run),
      user: userTexts(run),
    };
  },

  async carriedOut({ fire }) {
    const { blocked, reason, output, systemMessages } = await fire();
    return {
      went: !blocked,
      reason: blocked ? reason : undefined,
      model: blocked ? [] : [output.customInstructions ?? ""],
      user: systemMessages,
    };
  },
};

/** The compaction is done, and hooks are notified. */
export const postCompact: Occasion = {
  drive: preCompact.drive,
  seen: (run) => ({ went: true, model: modelTexts(run), user: userTexts(run) }),
  async carriedOut({ fire }) {
    const { systemMessages } = await fire();
    return { went: true, model: [], user: systemMessages };
  },
};
