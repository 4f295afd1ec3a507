import type { HookRef, Skip, SkipReason } from "../protocol/index.ts";
import { type ConfiguredHook, isInProcess } from "./configured.ts";
import { dropDuplicates } from "./duplicates.ts";
import type { Occasion, Selected } from "./select.ts";

export interface Refusal {
  readonly why: SkipReason;
  readonly detail: string;
}

/** One reason not to run a hook. Gates are asked in order; the first that refuses is the one that is told. */
export type Gate = (hook: ConfiguredHook, occasion: Occasion) => Refusal | undefined;

/** What may run of what was selected: every gate lets it pass, and equal hooks run once. */
export function admit(selected: Selected, gates: readonly Gate[], occasion: Occasion): Selected {
  const known = admitted.get(selected);
  if (known?.gates === gates) return known.result;
  const passed: ConfiguredHook[] = [];
  const skipped: Skip[] = [...selected.skipped];
  for (const hook of selected.hooks) {
    const refusal = firstRefusal(hook, gates, occasion);
    if (refusal === undefined) passed.push(hook);
    else skipped.push(skipOf(hook.ref, refusal));
  }
  if (!selected.hooks.every(isSettledBeforehand)) {
    const distinct = dropDuplicates(passed);
    return { hooks: distinct.hooks, skipped: [...skipped, ...distinct.skipped] };
  }
  const result = { hooks: passed, skipped };
  admitted.set(selected, { gates, result });
  return result;
}

/**
 * In-process hooks are never duplicates of each other and have no files that could change under them: what the gates said once they
 * would say again.
 */
function isSettledBeforehand({ hook }: ConfiguredHook): boolean {
  return isInProcess(hook) && !hook.once;
}

const admitted = new WeakMap<Selected, { gates: readonly Gate[]; result: Selected }>();

function firstRefusal(hook: ConfiguredHook, gates: readonly Gate[], occasion: Occasion): Refusal | undefined {
  for (const gate of gates) {
    const refusal = gate(hook, occasion);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function skipOf(hook: HookRef, { why, detail }: Refusal): Skip {
  return { hook, why, detail };
}
