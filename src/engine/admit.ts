import type { HookRef, Skip, SkipReason } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import { dropDuplicates } from "./duplicates.ts";
import type { Selected } from "./select.ts";

export interface Refusal {
  readonly why: SkipReason;
  readonly detail: string;
}

/** One reason not to run a hook. Gates are asked in order; the first that refuses is the one that is told. */
export type Gate = (hook: ConfiguredHook) => Refusal | undefined;

/** What may run of what was selected: every gate lets it pass, and equal hooks run once. */
export function admit(selected: Selected, gates: readonly Gate[]): Selected {
  const passed: ConfiguredHook[] = [];
  const skipped: Skip[] = [...selected.skipped];
  for (const hook of selected.hooks) {
    const refusal = firstRefusal(hook, gates);
    if (refusal === undefined) passed.push(hook);
    else skipped.push(skipOf(hook.ref, refusal));
  }
  // In-process hooks are never duplicates of each other, so there is nothing to look for.
  if (passed.every(({ hook }) => hook.type === "callback" || hook.type === "function"))
    return { hooks: passed, skipped };
  const distinct = dropDuplicates(passed);
  return { hooks: distinct.hooks, skipped: [...skipped, ...distinct.skipped] };
}

function firstRefusal(hook: ConfiguredHook, gates: readonly Gate[]): Refusal | undefined {
  for (const gate of gates) {
    const refusal = gate(hook);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function skipOf(hook: HookRef, { why, detail }: Refusal): Skip {
  return { hook, why, detail };
}
