import { isObject, nearest, Problem, type ToolInput } from "../protocol/index.ts";
import type { WatchedProgress } from "./firing.ts";

/** What a host may say of one event beside its payload. */
export interface FireOptions {
  readonly signal?: AbortSignal;
  /** Awaits background hooks too and uses their answers. */
  readonly forceSync?: boolean;
  /**
   * The input that hooks of this event have seen, when somebody has put that of the payload in its place since. Only hooks whose
   * condition holds for the new one and did not for this one are asked (with `rejudge: "all"` the others too); they may refuse and
   * ask, not rewrite.
   */
  readonly rewrittenFrom?: ToolInput;
  /** Is told what command hooks that are waited for have printed so far. */
  readonly progress?: WatchedProgress;
}

const known = ["signal", "forceSync", "rewrittenFrom", "progress"] as const satisfies readonly (keyof FireOptions)[];

/** A misspelt `signal` would leave an event that nobody can end. */
export function checkFireOptions(options: FireOptions): void {
  if (!isObject(options)) throw bad("The options of an event are an object.");
  for (const name of Object.keys(options)) {
    if (known.some((one) => one === name)) continue;
    const near = nearest(name, known);
    throw bad(`There is no option "${name}" of an event.${near === undefined ? "" : ` Did you mean "${near}"?`}`);
  }
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof EventTarget)) throw bad("The signal of an event is an AbortSignal.");
}

function bad(message: string): Problem {
  return new Problem("engine/bad-option", message);
}
