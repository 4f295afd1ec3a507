import { groupBy, messageOf, Problem, type RunRecord } from "../../protocol/internal.ts";
import type { RunStep } from "../engine-type.ts";
import { environmentOf } from "../runners/command/command-env.ts";
import {
  allReady,
  eventBudgetMs,
  type MaybeAsync,
  remainingMs,
  type Slots,
  slots,
  timeoutOf,
  whenReady,
} from "../runners/run-limits.ts";
import { runByType } from "../runners/runner-by-type.ts";
import type { RunnerResult } from "../runners/runner-result.ts";
import { type ConfiguredHook, isInProcess } from "../settings/layer.ts";
import type { HookEvent, HookRun } from "./fire.ts";
import type { AnyPayload } from "./payload.ts";
import { type FinishedRun, recordRun, recordStillRunning } from "./record-run.ts";

/**
 * Runs hooks side by side, those of a sequential group one after another; all of them run, whatever others answer. The runs are in
 * configured order, whatever order they finished in.
 */
export function runHooks(hooks: readonly ConfiguredHook[], event: HookEvent): MaybeAsync<readonly FinishedRun[]> {
  if (hooks.length === 0) return noRuns;
  const inProcess = hooks.every(({ hook }) => isInProcess(hook));
  const shared: Shared = {
    slots: inProcess ? noSlots : slots(event.services.options.concurrency),
    // Serialized before any callback runs, so that none can change what other hooks get.
    line: inProcess ? "" : lineOf(event),
    endsAt: budgetEnd(hooks, event),
  };
  if (!hooks.some(({ group }) => group.sequential)) {
    return allReady(hooks.map((hook) => runHook(hookRun(hook, event, shared))));
  }
  const groups = groupsOf(hooks).map((group) => runChain(group, event, shared));
  return Promise.all(groups).then((runs) => inConfiguredOrder(runs.flat(), hooks));
}

/** In-process hooks take no slot. */
const noSlots: Slots = slots(0);
const noRuns: readonly FinishedRun[] = [];

interface Shared extends Pick<HookRun, "slots" | "line"> {
  /** When the event's budget for all hooks together is used up. */
  readonly endsAt: number | undefined;
}

function lineOf({ payload, row }: HookEvent): string {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    const why = messageOf(cause);
    const message = `The payload of ${row.name} cannot be written as JSON: ${why}.`;
    throw new Problem("event/bad-payload", message, { about: { event: row.name }, cause });
  }
}

function budgetEnd(hooks: readonly ConfiguredHook[], event: HookEvent): number | undefined {
  const [first] = hooks;
  if (event.row.special.budget === undefined || first === undefined) return undefined;
  const own = hooks.map(({ hook }) => hook);
  const budget = eventBudgetMs(event.row, own, environmentOf(first, event));
  return budget && performance.now() + budget;
}

function hookRun(hook: ConfiguredHook, event: HookEvent, { slots, line, endsAt }: Shared): HookRun {
  if (endsAt === undefined) return { event, hook, line, slots, timeoutMs: timeoutOf(hook.hook, hook.row, {}) };
  const own = timeoutOf(hook.hook, hook.row, environmentOf(hook, event));
  return { event, hook, line, slots, timeoutMs: remainingMs({ timeoutMs: own, endsAt }), endsAt };
}

/** A sequential group is a chain; every other hook is a chain of one. */
function groupsOf(hooks: readonly ConfiguredHook[]): readonly (readonly ConfiguredHook[])[] {
  const chainOf = ({ group, ref }: ConfiguredHook) => (group.sequential ? `group ${group.key}` : `hook ${ref.id}`);
  return [...groupBy(hooks, chainOf).values()];
}

/** Each hook gets the payload as the one before it rewrote it. */
async function runChain(
  hooks: readonly ConfiguredHook[],
  event: HookEvent,
  shared: Shared,
): Promise<readonly FinishedRun[]> {
  const runs: FinishedRun[] = [];
  let current = event;
  let { line } = shared;
  for (const hook of hooks) {
    const run = await runHook(hookRun(hook, current, { ...shared, line }));
    runs.push(run);
    const payload = payloadAfter(run.record, current);
    if (payload === current.payload) continue;
    current = { ...current, payload };
    if (line !== "") line = JSON.stringify(payload);
  }
  return runs;
}

function payloadAfter({ answer }: RunRecord, { row, payload }: HookEvent): AnyPayload {
  if (answer?.input !== undefined && "tool_input" in row.fields) return { ...payload, tool_input: answer.input };
  const displayed = answer?.output?.displayContent;
  return displayed === undefined ? payload : { ...payload, delta: displayed };
}

/** Chains end in any order; results are in configured order. */
function inConfiguredOrder(runs: readonly FinishedRun[], hooks: readonly ConfiguredHook[]): readonly FinishedRun[] {
  const places = new Map(hooks.map(({ ref }, place) => [ref.id, place]));
  const placeOf = ({ record }: FinishedRun): number => places.get(record.hook.id) ?? 0;
  return [...runs].sort((a, b) => placeOf(a) - placeOf(b));
}

/** One hook from start to record. */
function runHook(run: HookRun): MaybeAsync<FinishedRun> {
  const { event, hook } = run;
  const startedAt = event.services.clock.now();
  if (event.onStep !== undefined) event.onStep(startedStep(hook));
  return whenReady(runByType(run), (result) => finish(run, result, startedAt));
}

function startedStep({ ref, hook }: ConfiguredHook): RunStep {
  return { kind: "started", hook: ref, ...(hook.statusMessage ? { statusMessage: hook.statusMessage } : {}) };
}

function finish(run: HookRun, result: RunnerResult | "background", startedAt: number): MaybeAsync<FinishedRun> {
  const times = { startedAt, durationMs: run.event.services.clock.now() - startedAt };
  const finished = result === "background" ? recordStillRunning(run, times) : recordRun(run, result, times);
  return whenReady(finished, (done) => report(done, run));
}

function report(finished: FinishedRun, { event }: HookRun): FinishedRun {
  const { record } = finished;
  event.onStep?.({ kind: "ended", record });
  event.services.observe(record, event.payload);
  return finished;
}
