import type { Outcome, ToolInput, Verdict, Warning } from "../protocol/index.ts";
import { admit, type Gate } from "./admit.ts";
import { type ConfiguredHook, isBackground } from "./configured.ts";
import type { Firing } from "./firing.ts";
import type { AnyPayload } from "./payload.ts";
import type { Judge } from "./ports.ts";
import { isJudged, objection } from "./rejudge.ts";
import { run } from "./run.ts";
import { type Occasion, type Selected, select } from "./select.ts";
import { type Settling, settle, strongest } from "./settle/settle.ts";
import type { TurnState } from "./settle/turn.ts";
import { type Soon, soon } from "./soon.ts";
import type { Services } from "./world.ts";

/** One event with everything its way through the engine needs. */
export interface FireCall {
  readonly occasion: Occasion;
  /** Every hook configured for the event, in configured order. */
  readonly hooks: readonly ConfiguredHook[];
  readonly gates: readonly Gate[];
  readonly firing: Firing;
  readonly services: Services;
  readonly warnings: readonly Warning[];
  readonly canDefer: boolean;
  readonly onConflict: "last" | "ask" | "deny";
  readonly turn: TurnState | undefined;
  /** Which hooks see a rewritten input: those whose condition it now meets, or all. */
  readonly rejudge: "conditions" | "all";
  /** The rules, loaded when hooks allow something. */
  judge(): Promise<Judge>;
  readonly judgeTimeoutMs: number;
  /** What is said beside the hooks whatever they say. */
  readonly beside: Verdict | undefined;
  /** The input that hooks of this event have seen; the payload's came in its place since. */
  readonly rewrittenFrom: ToolInput | undefined;
}

/** select → admit → run → settle; a rewritten input goes round once more. */
export function fireEvent(call: FireCall): Soon<Outcome> {
  if (call.rewrittenFrom !== undefined) return secondRoundOnly(call, call.rewrittenFrom);
  const plan = planEvent(call);
  return soon(run(plan.hooks, call.firing, call.services), ({ runs, warnings }) => {
    call.firing.signal.throwIfAborted();
    const first = settlingOf(call, plan, runs, warnings);
    const outcome = settle(first);
    if (outcome.decision !== "allow" && outcome.updatedInput === undefined) return outcome;
    return judgedAgain(outcome, first, plan, call);
  });
}

function settlingOf(call: FireCall, plan: Selected, runs: Settling["runs"], warnings: Settling["warnings"]): Settling {
  return {
    row: call.occasion.row,
    payload: call.occasion.payload,
    runs,
    skipped: plan.skipped,
    warnings: warnings.length === 0 ? call.warnings : [...call.warnings, ...warnings],
    canDefer: call.canDefer,
    attended: call.services.options.interactive,
    onConflict: call.onConflict,
    turn: call.turn,
    beside: call.beside,
  };
}

/** Somebody rewrote the input after the event was fired: the hooks that only the new one concerns are asked, and no others. */
async function secondRoundOnly(call: FireCall, from: ToolInput): Promise<Outcome> {
  const { occasion } = call;
  const before = planEvent({ ...call, occasion: { ...occasion, payload: { ...occasion.payload, tool_input: from } } });
  const plan = planEvent(call);
  const { runs, warnings } = await askAgain(concerned(plan, before, call), occasion.payload, call);
  return settle(settlingOf(call, plan, runs, warnings));
}

/** What was rewritten goes round once more; what is allowed then still has to pass the rules. */
async function judgedAgain(outcome: Outcome, first: Settling, plan: Selected, call: FireCall): Promise<Outcome> {
  const second = await secondRound(outcome, first, plan, call);
  const settled = second === undefined ? outcome : settle(second);
  if (settled.decision !== "allow" || !isJudged(call.occasion)) return settled;
  const { signal } = call.firing;
  const limit = { timeoutMs: call.judgeTimeoutMs, signal };
  const against = await objection(call.occasion, settled.updatedInput, await call.judge(), limit);
  signal.throwIfAborted();
  const settling = second ?? first;
  if (against.verdict.kind === "none") {
    return against.warnings.length === 0
      ? settled
      : { ...settled, warnings: [...settled.warnings, ...against.warnings] };
  }
  const warnings = [...settling.warnings, ...against.warnings];
  return settle({ ...settling, warnings, beside: strongest([against.verdict, call.beside ?? against.verdict]) });
}

/** Which hooks would run, and why the others would not. Starts nothing. */
export function planEvent({ hooks, occasion, gates }: Pick<FireCall, "hooks" | "occasion" | "gates">): Selected {
  return admit(select(hooks, occasion), gates, occasion);
}

/** A rewrite must not slip past a guard: hooks that the new input concerns are asked about it; they may refuse, not rewrite. */
async function secondRound(
  outcome: Outcome,
  first: Settling,
  plan: Selected,
  call: FireCall,
): Promise<Settling | undefined> {
  const input = outcome.updatedInput;
  if (input === undefined || !call.occasion.row.special.onTool) return undefined;
  const payload: AnyPayload = { ...call.occasion.payload, tool_input: input };
  const again = concerned(planEvent({ ...call, occasion: { ...call.occasion, payload } }), plan, call);
  if (again.length === 0) return undefined;
  const { runs, warnings } = await askAgain(again, payload, call);
  const asked = new Set(again.map(({ ref }) => ref.id));
  return {
    ...first,
    runs: [...first.runs, ...runs],
    skipped: first.skipped.filter(({ hook }) => !asked.has(hook.id)),
    warnings: [...first.warnings, ...warnings],
  };
}

async function askAgain(
  hooks: readonly ConfiguredHook[],
  payload: AnyPayload,
  call: FireCall,
): Promise<Pick<Settling, "runs" | "warnings">> {
  const firing: Firing = { ...call.firing, payload, round: 2, forceSync: true };
  const { runs, warnings } = await run(hooks, firing, call.services);
  call.firing.signal.throwIfAborted();
  return { runs: runs.map(restrictionsOnly), warnings: [...warnings, ...runs.flatMap(ignoredRewrite)] };
}

function concerned(now: Selected, before: Selected, { rejudge }: FireCall): readonly ConfiguredHook[] {
  const ran = new Set(before.hooks.map(({ ref }) => ref.id));
  const skippedByCondition = new Set(before.skipped.filter(({ why }) => why === "if").map(({ hook }) => hook.id));
  return now.hooks.filter(({ ref, hook }) => {
    if (skippedByCondition.has(ref.id)) return true;
    return rejudge === "all" && ran.has(ref.id) && !isBackground(hook);
  });
}

type SettledRuns = Settling["runs"][number];

function restrictionsOnly({ record, chain }: SettledRuns): SettledRuns {
  const { input: _, ...answer } = record.answer ?? {};
  const { verdict } = record;
  const restricts = verdict.kind === "deny" || verdict.kind === "ask";
  return { record: { ...record, answer, verdict: restricts ? verdict : { kind: "none" } }, chain };
}

function ignoredRewrite({ record }: SettledRuns): Warning[] {
  if (record.answer?.input === undefined) return [];
  const message = `Hook ${record.hook.name} rewrote an input that was already rewritten; that does not count.`;
  return [{ code: "rewrite-ignored", message, place: record.hook.id }];
}
