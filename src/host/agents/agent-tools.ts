import type { Thread } from "../thread.ts";
import type { Tool } from "../tools/tool.ts";

/** The tools by which a thread starts agents and talks to them. */
export function agentTools(_thread: Thread): readonly Tool[] {
  return [];
}
