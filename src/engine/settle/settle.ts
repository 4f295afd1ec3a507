import {
  compareDecisions,
  type Decision,
  type EventRow,
  type Outcome,
  type RunRecord,
  type Skip,
  type Verdict,
  type Warning,
} from "../../protocol/index.ts";
import { type SettledInput, settleInput } from "./input.ts";
import { settleOutput, withDecision } from "./output.ts";
import { settleStop } from "./stop.ts";
import { settleTurn, type TurnState } from "./turn.ts";

/** One run with what only the plan knows of it. */
export interface SettledRun {
  readonly record: RunRecord;
  /** Hooks of one sequential group share it; they chained their rewrites. */
  readonly chain: string | null;
}

export interface Settling {
  readonly row: EventRow;
  readonly payload: Readonly<Record<string, unknown>>;
  /** In configured order, whatever order they finished in. */
  readonly runs: readonly SettledRun[];
  readonly skipped: readonly Skip[];
  readonly warnings: readonly Warning[];
  readonly canDefer: boolean;
  /** False when nobody can be asked. */
  readonly attended: boolean;
  readonly onConflict: "last" | "ask" | "deny";
  /** What is said beside the hooks: rules against what they allowed, a policy that is not whole. */
  readonly beside?: Verdict | undefined;
  /** How often hooks already made the agent go on; events at the end of a turn only. */
  readonly turn?: TurnState | undefined;
}

/** Records in, outcome out, by the event's row. Pure: the same records give the same outcome. */
export function settle(settling: Settling): Outcome {
  const { row, payload, runs, skipped } = settling;
  const { beside = nothing } = settling;
  if (!row.special.endsTurn && beside.kind === "none" && runs.every(isSilent)) return quietOutcome(row, settling);
  const answered = runs.filter(({ record }) => !record.background);
  const input = settleInput(answered, settling.onConflict);
  const verdict = strongest([...answered.map(({ record }) => record.verdict), input.verdict, beside]);
  const decided = settleDefer(verdict, settling.canDefer);
  const context = answered.flatMap(({ record }) => record.answer?.context ?? []);
  const output = settleOutput(row, payload, answered);
  const stop = settleStop(settling, answered, decided.verdict);
  const blocked = decided.verdict.kind === "deny" && row.blocks !== null && (row.special.blocksWhen?.(payload) ?? true);
  const turn = settleTurn(settling, {
    verdict: decided.verdict,
    blocked: blocked || stop.refuses,
    reason: reasonOf(decided.verdict) ?? (stop.refuses ? stop.stopReason : undefined),
    stopped: !stop.continue,
    hasContext: context.length > 0,
  });

  return {
    event: row.name,
    decision: turn.decision,
    blocked: turn.blocked,
    ...(turn.reason === undefined ? {} : { reason: turn.reason }),
    continue: stop.continue,
    ...(stop.continue || stop.stopReason === undefined ? {} : { stopReason: stop.stopReason }),
    ...(keepsInput(turn.decision) && input.input !== undefined ? { updatedInput: input.input } : {}),
    additionalContext: context,
    systemMessages: answered.flatMap(({ record }) => record.answer?.messages ?? []),
    output: { ...withDecision(row, output.output, turn.decision, turn.reason), ...turn.output },
    runs: runs.map(({ record }) => record),
    skipped,
    warnings: [
      ...settling.warnings,
      ...input.warnings,
      ...putOff(turn.decision, input),
      ...decided.warnings,
      ...output.warnings,
      ...stop.warnings,
      ...turn.warnings,
    ],
  };
}

/** Nothing was said, so there is nothing to combine. */
function isSilent({ record }: SettledRun): boolean {
  return record.verdict.kind === "none" && record.answer === undefined;
}

/** The outcome of an event about which nobody said anything. */
export function quietOutcome(
  row: EventRow,
  { runs, skipped, warnings }: Pick<Settling, "runs" | "skipped" | "warnings">,
): Outcome {
  return {
    event: row.name,
    decision: "none",
    blocked: false,
    continue: true,
    additionalContext: [],
    systemMessages: [],
    output: {},
    runs: runs.map(({ record }) => record),
    skipped,
    warnings,
  };
}

/** The strongest verdict; among equals the first configured, whose reason is the one that is told. */
export function strongest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((best, next) => (compareDecisions(next.kind, best.kind) > 0 ? next : best), nothing);
}

const nothing: Verdict = { kind: "none" };

function settleDefer(verdict: Verdict, canDefer: boolean): { verdict: Verdict; warnings: readonly Warning[] } {
  if (verdict.kind !== "defer" || canDefer) return { verdict, warnings: [] };
  const reason = verdict.reason ?? "A hook wants to defer this call.";
  const message = "A hook deferred the call, but this host cannot defer; the person is asked instead.";
  return { verdict: { kind: "ask", reason }, warnings: [{ code: "defer-unsupported", message }] };
}

function reasonOf(verdict: Verdict): string | undefined {
  return verdict.kind === "none" ? undefined : verdict.reason;
}

/** The call is kept as the model made it, so a rewrite of another hook is lost. */
function putOff(decision: Decision, { input, by }: SettledInput): readonly Warning[] {
  if (decision !== "defer" || input === undefined || by === undefined) return [];
  const message = `Hook ${by.name} rewrote the input of a call that another hook defers; the rewrite does not count.`;
  return [{ code: "rewrite-ignored", message, place: by.id }];
}

/** What is refused or put off has no input to run with. */
function keepsInput(decision: Decision): boolean {
  return decision !== "deny" && decision !== "defer";
}
