import type { Thread } from "../thread.ts";
import type { Tool } from "../tools/tool.ts";
import { agentTool } from "./agent-tool.ts";
import { sendMessageTool } from "./send-message.ts";

/** The tools by which a thread starts agents and talks to them. */
export function agentTools(thread: Thread): readonly Tool[] {
  return [agentTool(thread), sendMessageTool(thread)];
}
