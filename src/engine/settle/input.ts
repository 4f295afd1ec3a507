import { isDeepStrictEqual } from "node:util";
import {
  compareDecisions,
  type Decision,
  type HookRef,
  type ToolInput,
  type Verdict,
  type Warning,
} from "../../protocol/index.ts";
import type { SettledRun } from "./settle.ts";

interface Rewrite {
  readonly by: HookRef;
  readonly input: ToolInput;
  readonly decision: Decision;
}

export interface SettledInput {
  readonly input?: ToolInput;
  /** What a conflict means by policy. */
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
}

/**
 * The input to use instead: of the hooks that gave the winning verdict, or, if none of them rewrote, of hooks without a verdict. The
 * last configured wins; a difference is told and may, by policy, be a verdict of its own.
 */
export function settleInput(
  runs: readonly SettledRun[],
  decision: Decision,
  onConflict: "last" | "ask" | "deny",
): SettledInput {
  const rewrites = rewritesOf(runs);
  const winners = rewrites.filter((rewrite) => rewrite.decision === decision);
  const candidates = winners.length > 0 ? winners : rewrites.filter((rewrite) => rewrite.decision === "none");
  const last = candidates.at(-1);
  if (last === undefined) return { verdict: { kind: "none" }, warnings: [] };
  const other = candidates.find((rewrite) => !isDeepStrictEqual(rewrite.input, last.input));
  if (other === undefined) return { input: last.input, verdict: { kind: "none" }, warnings: [] };
  const reason = `Hooks ${other.by.name} and ${last.by.name} rewrote the input differently`;
  return {
    input: last.input,
    verdict: onConflict === "last" ? { kind: "none" } : { kind: onConflict, reason },
    warnings: [
      {
        code: "input-conflict",
        message: `${reason}; that of ${last.by.name} counts. Put them into one group with "sequential": true to chain them.`,
        place: `${other.by.id}, ${last.by.id}`,
      },
    ],
  };
}

/** A chain has one rewrite: its last input, with the strongest verdict of its hooks. */
function rewritesOf(runs: readonly SettledRun[]): readonly Rewrite[] {
  const found = new Map<string, Rewrite>();
  for (const { record, chain } of runs) {
    const key = chain ?? record.hook.id;
    const before = found.get(key);
    const input = record.answer?.input ?? before?.input;
    if (input === undefined) continue;
    const decision = stronger(before?.decision ?? "none", record.verdict.kind);
    found.set(key, { by: record.answer?.input ? record.hook : (before?.by ?? record.hook), input, decision });
  }
  return [...found.values()];
}

function stronger(a: Decision, b: Decision): Decision {
  return compareDecisions(a, b) >= 0 ? a : b;
}
