import type { Thread } from "../thread.ts";
import { type Tool, toolError, toolSuccess } from "../tools/tool.ts";

/** Sends a message to an agent that was started before: a teammate, or one in the background. */
export function sendMessageTool({ session }: Thread): Tool {
  const tool: Tool = {
    name: "SendMessage",
    description:
      "Sends a message to an agent by its id or name. It goes on with it when it has time; its answer comes as a notification.",
    inputSchema: {
      type: "object",
      properties: { to: { type: "string" }, message: { type: "string" }, summary: { type: "string" } },
      required: ["to", "message"],
    },
    readOnly: false,
    render: (response) => String((response as { message?: unknown }).message ?? ""),
    async run({ to, message }) {
      const agent = session.agents.find(String(to));
      if (agent === undefined) return toolError(`No agent ${String(to)} can be sent messages.`);
      if (agent.status === "killed") return toolError(`The agent ${String(to)} was ended; it takes no messages.`);
      agent.send(String(message));
      return toolSuccess(tool, { success: true, message: `Message sent to ${String(to)}.` });
    },
  };
  return tool;
}
