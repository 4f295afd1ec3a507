import type { EventRow, FailurePolicy, Hook, HookRef, Warning } from "../../protocol/index.ts";
import type { Condition } from "../match/conditions.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Layer } from "./layer.ts";

/** One hook of one event as the snapshot holds it: everything that can be worked out before an event fires. */
export interface ConfiguredHook {
  readonly ref: HookRef;
  readonly hook: Hook;
  readonly row: EventRow;
  readonly layer: Layer;
  /** Place in configured order among the event's hooks. */
  readonly order: number;
  /** Hooks of one group share this; `sequential` ones run one after another. */
  readonly group: { readonly key: string; readonly sequential: boolean };
  readonly matcher: Matcher;
  /** `null`: none. `never`: it cannot be read, so it never holds. */
  readonly condition: Condition | "never" | null;
  readonly onFailure: FailurePolicy;
  /** What loading had to say about it. */
  readonly problems: readonly Warning[];
}

/** It runs here, as a function of the host: no process, no request, nothing to wait for a place. */
export function isInProcess({ type }: Hook): boolean {
  return type === "callback" || type === "function";
}

/** Nobody is to wait for it. */
export function isBackground(hook: Hook): boolean {
  return hook.type === "command" && (hook.async === true || hook.asyncRewake === true);
}

/** Hooks of skills and sessions may run once; elsewhere `once` has no effect. */
export function honorsOnce(source: ConfiguredHook["layer"]["kind"]): boolean {
  return source === "skill" || source === "session";
}
