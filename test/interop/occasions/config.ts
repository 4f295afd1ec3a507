import type { Occasion } from "../occasion.ts";
import { userTexts } from "../texts.ts";
import { performTool } from "../tool.ts";

/**
 * A settings file changes under a running session. The case's hooks write the new file at the first call and the new
 * settings make `changed.txt` at the second, so that file says whether the change took effect.
 */
export const configChange: Occasion = {
  drive: () => ({
    prompt: "Go.",
    script: { main: [bash("sleep 2"), bash("true"), "Done."] },
    args: ["--allowedTools", "Bash"],
  }),

  seen: (run) => ({ went: !run.timedOut, model: [], user: userTexts(run) }),

  async carriedOut({ fire }, scene) {
    const { blocked, systemMessages } = await fire();
    if (!blocked) performTool("Bash", { command: "touch changed.txt" }, scene.project);
    return { went: true, model: [], user: systemMessages };
  },
};

function bash(command: string): { tool: string; input: object } {
  return { tool: "Bash", input: { command } };
}
