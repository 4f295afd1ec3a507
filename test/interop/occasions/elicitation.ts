import { join } from "node:path";
import type { Occasion, SeenRun } from "../occasion.ts";
import { modelTexts, userTexts } from "../texts.ts";

/** What starts the little MCP server that comes with these tests, under the name `srv`. */
export const serverArgs: readonly string[] = [
  "--strict-mcp-config",
  "--mcp-config",
  JSON.stringify({
    mcpServers: {
      srv: { command: process.execPath, args: [join(import.meta.dirname, "..", "fixtures", "mcp-server.mjs")] },
    },
  }),
];

/** A server asks the user a question. The run is non-interactive, so without a hook the answer is `cancel`. */
export const elicitation: Occasion = {
  drive: () => ({
    prompt: "Go.",
    script: { main: [{ tool: "mcp__srv__ask", input: {} }, "Done."] },
    args: [...serverArgs, "--allowedTools", "mcp__srv__ask"],
  }),

  seen: (run) => ({ went: !answered(run, "decline"), model: modelTexts(run), user: userTexts(run) }),

  async carriedOut({ fire }, scene) {
    const { blocked, output, systemMessages } = await fire();
    const action = blocked ? "decline" : (output.action ?? scene.payload["action"] ?? "cancel");
    const reply = `action:${action} ${JSON.stringify(output.content ?? {})}`;
    return { went: action !== "decline", model: [reply], user: systemMessages };
  },
};

function answered(run: SeenRun, action: string): boolean {
  return modelTexts(run).some((text) => text.includes(`action:${action}`));
}
