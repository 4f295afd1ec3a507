import type { Outcome, ToolInput, Warning } from "../../protocol/internal.ts";
import { type MaybeAsync, whenReady } from "../runners/run-limits.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import type { FiringEvent } from "./firing-event.ts";
import type { FinishedRun } from "./record-run.ts";
import { asksRules, rulesAgainst } from "./rules-after-allow.ts";
import { runMatched } from "./run.ts";
import { planEvent, type Selection } from "./select-hooks.ts";
import { type EventRuns, settle } from "./settle.ts";

/** select → admit → run → settle; a rewritten input is judged a second time. */
export function fireEvent(event: FiringEvent): MaybeAsync<Outcome> {
  if (event.rewrittenFrom !== undefined) return secondRoundOnly(event, event.rewrittenFrom);
  const plan = planEvent(event);
  return whenReady(runMatched(plan.hooks, event), (runs) => {
    event.signal.throwIfAborted();
    const first: EventRuns = { runs, skipped: plan.skipped, warnings: none };
    const outcome = settle(event, first);
    if (outcome.decision !== "allow" && outcome.updatedInput === undefined) return outcome;
    return judgedAgain(outcome, first, plan, event);
  });
}

const none: readonly Warning[] = [];

/** The host replaced the input after the event was fired: only hooks that the new one concerns are asked. */
async function secondRoundOnly(event: FiringEvent, from: ToolInput): Promise<Outcome> {
  const before = planEvent({ ...event, payload: { ...event.payload, tool_input: from } });
  const plan = planEvent(event);
  const again = await askAgain(concerned(plan, before, event), event);
  return settle(event, { ...again, skipped: plan.skipped });
}

/** A rewritten input is judged a second time. A call that is then allowed must still pass the rules. */
async function judgedAgain(outcome: Outcome, first: EventRuns, plan: Selection, event: FiringEvent): Promise<Outcome> {
  const input = outcome.updatedInput;
  const second = input === undefined ? undefined : await secondRound(input, first, plan, event);
  const settled = second === undefined ? outcome : settle(event, second);
  if (settled.decision !== "allow" || !asksRules(event.row)) return settled;
  const against = await rulesAgainst(event, settled.updatedInput);
  event.signal.throwIfAborted();
  if (against.verdict.kind === "none") return { ...settled, warnings: [...settled.warnings, ...against.warnings] };
  const all = second ?? first;
  return settle(event, { ...all, warnings: [...all.warnings, ...against.warnings], against: against.verdict });
}

/** A rewrite must not slip past a guard: hooks that the new input concerns are asked about it; they may refuse, not rewrite. */
async function secondRound(
  input: ToolInput,
  first: EventRuns,
  plan: Selection,
  event: FiringEvent,
): Promise<EventRuns | undefined> {
  if (!event.row.special.onTool) return undefined;
  const rewritten: FiringEvent = { ...event, payload: { ...event.payload, tool_input: input } };
  const hooks = concerned(planEvent(rewritten), plan, event);
  if (hooks.length === 0) return undefined;
  const { runs, warnings } = await askAgain(hooks, rewritten);
  const asked = new Set(hooks.map(({ ref }) => ref.id));
  return {
    runs: [...first.runs, ...runs],
    skipped: first.skipped.filter(({ hook }) => !asked.has(hook.id)),
    warnings,
  };
}

async function askAgain(
  hooks: readonly ConfiguredHook[],
  event: FiringEvent,
): Promise<Pick<EventRuns, "runs" | "warnings">> {
  const runs = await runMatched(hooks, { ...event, round: 2, waitsFor: "all" });
  event.signal.throwIfAborted();
  return { runs: runs.map(restrictionsOnly), warnings: runs.flatMap(ignoredRewrite) };
}

/** The hooks that see a rewritten input: those whose condition it now meets, or all. */
function concerned(now: Selection, before: Selection, { services }: FiringEvent): readonly ConfiguredHook[] {
  const ran = new Set(before.hooks.map(({ ref }) => ref.id));
  const skippedByCondition = new Set(before.skipped.filter(({ why }) => why === "if").map(({ hook }) => hook.id));
  return now.hooks.filter(({ ref, background }) => {
    if (skippedByCondition.has(ref.id)) return true;
    return services.options.rejudge === "all" && ran.has(ref.id) && !background;
  });
}

function restrictionsOnly(run: FinishedRun): FinishedRun {
  const { record } = run;
  const { input: _, ...answer } = record.answer ?? {};
  const { verdict } = record;
  const restricts = verdict.kind === "deny" || verdict.kind === "ask";
  return { ...run, record: { ...record, answer, verdict: restricts ? verdict : { kind: "none" } } };
}

function ignoredRewrite({ record }: FinishedRun): Warning[] {
  if (record.answer?.input === undefined) return [];
  const message = `Hook ${record.hook.name} rewrote an input that was already rewritten; the second rewrite is ignored.`;
  return [{ code: "rewrite-ignored", message, place: record.hook.id }];
}
