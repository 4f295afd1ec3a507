import type { Incoming } from "../inbox.ts";
import type { TurnEnd } from "../loop.ts";
import type { Thread } from "../thread.ts";

/** Carries out a built-in command; undefined when the text is none. No prompt is submitted for one. */
export async function runBuiltin(
  _main: Thread,
  _typed: string,
  _item: Incoming,
  _signal: AbortSignal,
): Promise<TurnEnd | undefined> {
  return undefined;
}
