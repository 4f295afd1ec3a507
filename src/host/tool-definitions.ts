import type { ToolDefinition } from "../models/index.ts";
import type { Thread } from "./thread.ts";

/** The tools of a thread as its model is offered them. */
export function toolDefinitions(thread: Thread): readonly ToolDefinition[] {
  return thread.tools().map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
}
