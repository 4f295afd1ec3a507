import { fitsWildcard } from "../../protocol/internal.ts";
import { eventRule } from "../answer/event-rules.ts";
import { sameTool } from "../app/hook-event.ts";
import type { Registration } from "../app/registration.ts";

/** The rank of a registration in the order of handlers (lower runs first). Undefined when it does not match the value. */
export function handlerRank(registration: Registration, value: string): number | undefined {
  const { what, general, event } = registration;
  if (what === undefined) return general ? 3 : 2;
  const tool = eventRule(event).tool === true;
  if (what.some((name) => (tool ? sameTool(name, value) : name === value))) return general ? 3 : 0;
  if (what.some((name) => name.includes("*") && fitsWildcard(name, value))) return general ? 3 : 1;
  return undefined;
}

/** Whether a registration names this tool, and not by a pattern. */
export function namesTool(registration: Registration, tool: string): boolean {
  return registration.what?.some((name) => sameTool(name, tool)) === true;
}
