import { isDeepStrictEqual } from "node:util";
import type { HookRef, ToolInput, Verdict, Warning } from "../../protocol/index.ts";
import type { SettledRun } from "./settle.ts";

interface Rewrite {
  readonly by: HookRef;
  readonly input: ToolInput;
}

export interface SettledInput {
  readonly input?: ToolInput;
  /** Whose input it is. */
  readonly by?: HookRef;
  /** What a conflict means by policy. */
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
}

/**
 * The input to use instead, whatever the hooks that gave one decided: the last configured wins. Each that is dropped is named in a
 * warning, and a difference may, by policy, be a verdict of its own.
 */
export function settleInput(runs: readonly SettledRun[], onConflict: "last" | "ask" | "deny"): SettledInput {
  const rewrites = rewritesOf(runs);
  const last = rewrites.at(-1);
  if (last === undefined) return { verdict: { kind: "none" }, warnings: [] };
  const dropped = rewrites.filter(({ input }) => !isDeepStrictEqual(input, last.input)).map(({ by }) => by);
  if (dropped.length === 0) return { ...last, verdict: { kind: "none" }, warnings: [] };
  const reason = `Hooks ${[...dropped, last.by].map(({ name }) => name).join(" and ")} rewrote the input differently`;
  return {
    ...last,
    verdict: onConflict === "last" ? { kind: "none" } : { kind: onConflict, reason },
    warnings: [
      {
        code: "input-conflict",
        message: `${reason}; that of ${last.by.name} counts. Put them into one group with "sequential": true to chain them.`,
        place: [...dropped, last.by].map(({ id }) => id).join(", "),
      },
    ],
  };
}

/** A chain has one rewrite: its last input. */
function rewritesOf(runs: readonly SettledRun[]): readonly Rewrite[] {
  const found = new Map<string, Rewrite>();
  for (const { record, chain } of runs) {
    const input = record.answer?.input;
    if (input !== undefined) found.set(chain ?? record.hook.id, { by: record.hook, input });
  }
  return [...found.values()];
}
