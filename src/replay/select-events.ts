import { fitsWildcard, nearest, Problem } from "../protocol/index.ts";
import { type PastEvent, type PastEventName, pastEventNames } from "./past-event.ts";

/** Which of the past is wanted; what is left out is all of it. */
export interface Wish {
  readonly sinceMs?: number | undefined;
  /** Names of tools; `*` in one stands for anything. */
  readonly tools?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
}

/** Contract: a wish for an event that no transcript tells of is a `replay/event` problem, not an empty report. */
export function wanted(wish: Wish): (event: PastEvent) => boolean {
  const events = new Set((wish.events?.length ? wish.events : pastEventNames).map(eventName));
  const tools = (wish.tools ?? []).map(toolPattern);
  return ({ name, tool, at }) =>
    events.has(name) &&
    (tools.length === 0 || (tool !== undefined && tools.some((pattern) => pattern(tool)))) &&
    (wish.sinceMs === undefined || Date.parse(at ?? "") >= wish.sinceMs);
}

function eventName(text: string): PastEventName {
  const name = pastEventNames.find((known) => known === text);
  if (name !== undefined) return name;
  const near = nearest(text, pastEventNames);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `Transcripts tell of ${pastEventNames.join(", ")}; "${text}" cannot be replayed.${hint}`;
  throw new Problem("replay/event", message, { about: { event: text } });
}

/** `Task` is the older name of `Agent`; hosts treat them as one tool. */
function toolPattern(name: string): (tool: string) => boolean {
  if (name === "Task" || name === "Agent") return (tool) => tool === "Task" || tool === "Agent";
  return (tool) => fitsWildcard(name, tool);
}
