import type { EventRow } from "../../protocol/index.ts";

/** Whether a hook of the event can keep a tool call from running. */
export function guardsToolCalls({ special, onFailure, blocks }: EventRow): boolean {
  return special.onTool === true && onFailure === "guard" && blocks !== null;
}
