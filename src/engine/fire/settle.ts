import type { Decision, EventRow, Outcome, Skip, Verdict, Warning, WarningCode } from "../../protocol/internal.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import { guardsToolCalls } from "../settings/layer.ts";
import type { FiringEvent } from "./firing-event.ts";
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
  /** The objection of the permission rules to a call that hooks allowed. */
  readonly against?: Verdict;
}

/** Runs in, outcome out, by the event's row. Pure: the same runs give the same outcome. */
export function settle(event: FiringEvent, settling: EventRuns): Outcome {
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
  const output = settleOutput(event, answered);
  const stop = settleStop(event, answered, decided.verdict);
  const blocked = decided.verdict.kind === "deny" && row.blocks !== null && (row.special.blocksWhen?.(payload) ?? true);
  const settled: SettledTurn = {
    decision: decided.verdict.kind,
    blocked: blocked || stop.refuses,
    reason: reasonOf(decided.verdict) ?? (stop.refuses ? stop.stopReason : undefined),
    output: {},
    warnings: [],
  };
  const turn = settleTurn(event, settled, !stop.continue, context.length > 0);
  // What is refused or deferred has no input to run with.
  const hasInput = turn.decision !== "deny" && turn.decision !== "defer";

  return {
    event: row.name,
    decision: turn.decision,
    blocked: turn.blocked,
    ...(turn.reason === undefined ? {} : { reason: turn.reason }),
    continue: stop.continue,
    ...(stop.continue || stop.stopReason === undefined ? {} : { stopReason: stop.stopReason }),
    ...(hasInput && input.input !== undefined ? { updatedInput: input.input } : {}),
    additionalContext: context,
    systemMessages: answered.flatMap(({ record }) => record.answer?.messages ?? []),
    output: { ...withDecision(row, output.output, turn), ...turn.output },
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

function warningsSoFar({ warnings: before }: FiringEvent, { runs, warnings }: EventRuns): readonly Warning[] {
  if (warnings.length === 0 && runs.every((run) => run.warnings.length === 0)) return before;
  return [...before, ...runs.flatMap((run) => run.warnings), ...warnings];
}

/** While policy cannot be read completely, what it might have refused is at least asked about. */
export function policyFloor(row: EventRow, { merged }: EffectiveSettings): Verdict | undefined {
  if (merged.managedDamage === undefined || !guardsToolCalls(row)) return undefined;
  return { kind: "ask", reason: merged.managedDamage };
}

/** Without an answer there is nothing to combine. */
function isSilent({ record }: FinishedRun): boolean {
  return record.verdict.kind === "none" && record.answer === undefined;
}

/** The outcome of an event that no hook answered. */
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
  const message = `Hook ${by.name} rewrote the input of a call that another hook defers; the rewrite is ignored.`;
  return [{ code: "rewrite-ignored", message, place: by.id }];
}

interface SettledStop {
  readonly continue: boolean;
  readonly stopReason: string | undefined;
  /** `continue: false` counts as a block here. */
  readonly refuses: boolean;
  readonly warnings: readonly Warning[];
}

/** What `continue: false` does on this event; the first configured reason is reported. */
function settleStop({ row, services }: FiringEvent, runs: readonly FinishedRun[], verdict: Verdict): SettledStop {
  const stops = runs.filter(({ record }) => record.answer?.stop !== undefined);
  const warnEach = (code: WarningCode, message: (hook: string) => string): readonly Warning[] =>
    stops.map(({ record: { hook } }) => ({ code, message: message(hook.name), place: hook.id }));
  if (stops.length === 0) return notStopped;
  const ignored = (why: string): SettledStop => ({
    ...notStopped,
    warnings: warnEach("continue-ignored", (hook) => `continue: false ${why}; it was ignored for hook ${hook}.`),
  });
  if (row.onStop === "ignore") return ignored(`has no effect on ${row.name}`);
  // As measured in 2.1.325: a denial ends the turn, a question that cannot be put to a user does not.
  if (row.onStop === "after-tool" && verdict.kind === "ask" && !services.options.interactive)
    return ignored(`on ${row.name} has no effect next to a question that no user can answer`);
  const reason = stops.map(({ record }) => record.answer?.stop?.reason).find((text) => text !== undefined);
  const refuses = row.onStop === "refuse";
  const isNoDenial = row.onStop === "after-tool" && verdict.kind !== "deny";
  const why = `continue: false on ${row.name} stops the run after the tool; to stop the tool`;
  return {
    continue: false,
    stopReason: reason ?? (refuses ? "A hook stopped this" : undefined),
    refuses,
    warnings: isNoDenial ? warnEach("stop-is-not-deny", (hook) => `${why}, hook ${hook} must answer deny.`) : [],
  };
}

const notStopped: SettledStop = { continue: true, stopReason: undefined, refuses: false, warnings: [] };

interface SettledTurn extends Pick<Outcome, "decision" | "blocked" | "output" | "warnings"> {
  readonly reason: string | undefined;
}

/** At the end of a turn: context makes the agent continue too, `continue: false` wins over any block, and a cap ends the loop. */
function settleTurn(
  { row, stopBlocks = { count: 0, cap: 0 } }: FiringEvent,
  settled: SettledTurn,
  stopped: boolean,
  hasContext: boolean,
): SettledTurn {
  if (!row.special.endsTurn) return settled;
  const { count, cap } = stopBlocks;
  const ended: SettledTurn = {
    decision: "none",
    blocked: false,
    reason: undefined,
    output: { stopBlocks },
    warnings: [],
  };
  if (stopped || !(settled.blocked || hasContext)) return ended;
  const reason = settled.reason ?? "A hook added context for the agent to work on";
  if (cap > 0 && count >= cap) {
    const message = `Hooks made the agent continue ${count} times in a row; this time it may stop. Their reason: ${reason}`;
    return { ...ended, warnings: [{ code: "stop-cap", message }] };
  }
  return { ...settled, blocked: true, reason, output: { stopBlocks: { count: count + 1, cap } } };
}
