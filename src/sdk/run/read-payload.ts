import { messageOf } from "../../protocol/index.ts";
import type { WirePayload } from "../app/hook-event.ts";

/** What came for an event: its payload, or why it is none. */
export type ReadPayload = { readonly value: WirePayload } | { readonly fault: string };

export function readPayload(given: string): ReadPayload {
  const text = given.charCodeAt(0) === 0xfeff ? given.slice(1) : given;
  if (text.trim() === "") return { fault: "standard input is empty" };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: "it is no JSON object" };
    const payload = value as WirePayload;
    if (typeof payload["hook_event_name"] === "string") return { value: payload };
    return { fault: `it has no hook_event_name${hintOf(payload)}` };
  } catch (error) {
    return { fault: `it is no JSON (${messageOf(error)})` };
  }
}

/** Agents that do not send the event's name have other keys of their own. */
function hintOf(payload: WirePayload): string {
  const key = ["toolName", "sessionId", "hookName", "agent_action_name"].find((one) => Object.hasOwn(payload, one));
  return key === undefined ? "" : `, and its key "${key}" is not one of Claude Code's: another agent sent it`;
}
