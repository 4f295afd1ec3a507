import { existsSync } from "node:fs";
import type { Occasion } from "../occasion.ts";
import { modelTexts, unquoted, userTexts } from "../texts.ts";

/** A working copy is wanted for the session. When a hook cannot make one there is no session. */
export const worktreeCreate: Occasion = {
  drive: (scene) => ({ prompt: "Go.", script: { main: ["Done."] }, args: ["-w", String(scene.payload["name"])] }),

  seen(run) {
    const went = run.requests.some((request) => request.purpose === "main");
    return {
      went,
      reason: went ? undefined : hooksWords(unquoted(run.stderr, run)),
      model: modelTexts(run),
      user: userTexts(run),
    };
  },

  async carriedOut({ fire }) {
    const { blocked, reason, output, runs, systemMessages } = await fire();
    const went = !blocked && output.worktreePath !== undefined && existsSync(output.worktreePath);
    const spoke = runs.some(({ stderr }) => stderr !== "");
    const words = reason?.replace(/^Hook [\s\S]* failed: exited with code \d+: /, "");
    return { went, reason: went || !spoke ? undefined : words, model: [], user: systemMessages };
  },
};

/** The text of a hook; undefined when it had none and the client uses its own. */
function hooksWords(stderr: string): string | undefined {
  const words = stderr.replace(/^[\s\S]*WorktreeCreate hook failed:(?: : )?/, "").trim();
  return words.startsWith("hook succeeded but returned no worktree path") ? undefined : words;
}
