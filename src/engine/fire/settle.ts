import type { Decision, EventRow, Outcome, OutcomeOutput, Skip, Verdict, Warning } from "../../protocol/internal.ts";
import { guardsToolCalls } from "../settings/layer.ts";
import type { EffectiveSettings } from "../settings/snapshot.ts";
import type { HookEvent } from "./fire.ts";
import { compareDecisions } from "./read/read-verdict.ts";
import type { FinishedRun } from "./record-run.ts";
import { type SettledInput, settleInput, settleOutput, withDecision } from "./settle-output.ts";

/** What the hooks of an event came to. */
export interface EventRuns {
  /** In configured order, whatever order they finished in. */
  readonly runs: readonly FinishedRun[];
  readonly skipped: readonly Skip[];
  /** What came up besides the warnings of the event and of its runs. */
  readonly warnings: readonly Warning[];
  /** What permission rules object to what the hooks allowed. */
  readonly against?: Verdict;
}

/** Runs in, outcome out, by the event's row. Pure: the same runs give the same outcome. */
export function settle(event: HookEvent, settling: EventRuns): Outcome {
  const { row, payload, settings, services } = event;
  const { runs, skipped, against = nothing } = settling;
  const floor = policyFloor(row, settings) ?? nothing;
  const others = strongest([against, floor]);
  const warnings = warningsSoFar(event, settling);
  if (!row.special.endsTurn && others.kind === "none" && runs.every(isSilent)) {
    return quietOutcome(row, { runs, skipped, warnings });
  }
  const answered = runs.filter(({ record }) => !record.background);
  const input = settleInput(answered, settings.merged.onConflict);
  const verdict = strongest([...answered.map(({ record }) => record.verdict), input.verdict, others]);
  const decided = settleDefer(verdict, services.options.canDefer);
  const context = answered.flatMap(({ record }) => record.answer?.context ?? []);
  const output = settleOutput(row, payload, answered);
  const stop = settleStop(event, answered, decided.verdict);
  const blocked = decided.verdict.kind === "deny" && row.blocks !== null && (row.special.blocksWhen?.(payload) ?? true);
  const turn = settleTurn(event, {
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
      ...warnings,
      ...input.warnings,
      ...putOff(turn.decision, input),
      ...decided.warnings,
      ...output.warnings,
      ...stop.warnings,
      ...turn.warnings,
    ],
  };
}

function warningsSoFar({ warnings: before }: HookEvent, { runs, warnings }: EventRuns): readonly Warning[] {
  if (warnings.length === 0 && runs.every((run) => run.warnings.length === 0)) return before;
  return [...before, ...runs.flatMap((run) => run.warnings), ...warnings];
}

/** While policy cannot be read completely, what it might have refused is at least asked about. */
export function policyFloor(row: EventRow, { merged }: EffectiveSettings): Verdict | undefined {
  if (merged.managedDamage === undefined || !guardsToolCalls(row)) return undefined;
  return { kind: "ask", reason: merged.managedDamage };
}

/** Nothing was said, so there is nothing to combine. */
function isSilent({ record }: FinishedRun): boolean {
  return record.verdict.kind === "none" && record.answer === undefined;
}

/** The outcome of an event about which no hook said anything. */
export function quietOutcome(row: EventRow, { runs, skipped, warnings }: EventRuns): Outcome {
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

/** The strongest verdict; among equals the first configured, whose reason is reported. */
export function strongest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((best, next) => (compareDecisions(next.kind, best.kind) > 0 ? next : best), nothing);
}

const nothing: Verdict = { kind: "none" };

function settleDefer(verdict: Verdict, canDefer: boolean): { verdict: Verdict; warnings: readonly Warning[] } {
  if (verdict.kind !== "defer" || canDefer) return { verdict, warnings: [] };
  const reason = verdict.reason ?? "A hook wants to defer this call.";
  const message = "A hook deferred the call, but this host cannot defer; the user is asked instead.";
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

interface SettledStop {
  readonly continue: boolean;
  readonly stopReason?: string;
  /** `continue: false` counts as a block here. */
  readonly refuses: boolean;
  readonly warnings: readonly Warning[];
}

/** What `continue: false` does on this event; the first configured reason is reported. */
function settleStop({ row, services }: HookEvent, runs: readonly FinishedRun[], verdict: Verdict): SettledStop {
  const stops = runs.filter(({ record }) => record.answer?.stop !== undefined);
  if (stops.length === 0) return goesOn;
  if (row.onStop === "ignore") return { ...goesOn, warnings: stops.map((stop) => ignored(row.name, stop)) };
  if (row.onStop === "after-tool" && verdict.kind === "ask" && !services.options.interactive) {
    return { ...goesOn, warnings: stops.map((stop) => unasked(row.name, stop)) };
  }
  const reason = stops.map(({ record }) => record.answer?.stop?.reason).find((text) => text !== undefined);
  const refuses = row.onStop === "refuse";
  return {
    continue: false,
    ...(reason === undefined ? (refuses ? { stopReason: "A hook stopped this" } : {}) : { stopReason: reason }),
    refuses,
    warnings:
      row.onStop === "after-tool" && verdict.kind !== "deny" ? stops.map((stop) => notADenial(row.name, stop)) : [],
  };
}

const goesOn: SettledStop = { continue: true, refuses: false, warnings: [] };

function ignored(event: string, { record }: FinishedRun): Warning {
  const message = `continue: false has no effect on ${event}; hook ${record.hook.name} stopped nothing.`;
  return { code: "continue-ignored", message, place: record.hook.id };
}

/** As measured in 2.1.325: a denial ends the turn, a question that cannot be put to a user does not. */
function unasked(event: string, { record }: FinishedRun): Warning {
  const message = `continue: false on ${event} has no effect next to a question that no user can answer; hook ${record.hook.name} stopped nothing.`;
  return { code: "continue-ignored", message, place: record.hook.id };
}

function notADenial(event: string, { record }: FinishedRun): Warning {
  const message = `continue: false on ${event} stops the run after the tool; to stop the tool, hook ${record.hook.name} must answer deny.`;
  return { code: "stop-is-not-deny", message, place: record.hook.id };
}

/** How often hooks made the agent continue before this event, and how often they may; a cap of 0 means no limit. */
export interface StopBlocks {
  readonly count: number;
  readonly cap: number;
}

interface Turning {
  readonly verdict: Verdict;
  readonly blocked: boolean;
  readonly reason: string | undefined;
  readonly stopped: boolean;
  readonly hasContext: boolean;
}

interface Turned {
  readonly decision: Decision;
  readonly blocked: boolean;
  readonly reason?: string;
  readonly output: OutcomeOutput;
  readonly warnings: readonly Warning[];
}

/** At the end of a turn: context makes the agent continue too, `continue: false` wins over any block, and a cap ends the loop. */
function settleTurn({ row, stopBlocks }: HookEvent, turning: Turning): Turned {
  const { verdict, blocked, reason } = turning;
  if (!row.special.endsTurn)
    return { decision: verdict.kind, blocked, ...withReason(reason), output: {}, warnings: [] };
  const { count, cap } = stopBlocks ?? { count: 0, cap: 0 };
  if (turning.stopped) return ended({ count, cap }, []);
  const byContext = !blocked && turning.hasContext;
  if (!blocked && !byContext) return ended({ count, cap }, []);
  const why = reason ?? "A hook added context for the agent to work on";
  if (cap > 0 && count >= cap) {
    const message = `Hooks made the agent go on ${count} times in a row; this time it may stop. They said: ${why}`;
    return ended({ count, cap }, [{ code: "stop-cap", message }]);
  }
  const output = { stopBlocks: { count: count + 1, cap } };
  return { decision: verdict.kind, blocked: true, reason: why, output, warnings: [] };
}

function ended(stopBlocks: StopBlocks, warnings: readonly Warning[]): Turned {
  return { decision: "none", blocked: false, output: { stopBlocks }, warnings };
}

function withReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}
