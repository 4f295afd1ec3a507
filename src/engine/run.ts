import { type Answer, messageOf, Problem, type Warning } from "../protocol/index.ts";
import { type ConfiguredHook, isInProcess } from "./configured.ts";
import type { Firing, OneRun } from "./firing.ts";
import type { AnyPayload } from "./payload.ts";
import { type OneLimits, runOne } from "./run-one.ts";
import type { SettledRun } from "./settle/settle.ts";
import { type Slots, slots } from "./slots.ts";
import { allSoon, type Soon, soon } from "./soon.ts";
import { eventBudgetMs, remainingMs, timeoutOf } from "./timeouts.ts";
import type { Services } from "./world.ts";

export interface Runs {
  /** In configured order, whatever order they finished in. */
  readonly runs: readonly SettledRun[];
  readonly warnings: readonly Warning[];
}

/** Runs hooks side by side, those of a sequential group one after another; all of them run, whatever others say. */
export function run(hooks: readonly ConfiguredHook[], firing: Firing, services: Services): Soon<Runs> {
  if (hooks.length === 0) return noRuns;
  const inProcess = hooks.every(({ hook }) => isInProcess(hook));
  const shared: Shared = {
    slots: inProcess ? noSlots : slots(services.options.concurrency),
    // Serialised before any callback runs, so that none can change what other hooks are told.
    line: inProcess ? "" : lineOf(firing),
    endsAt: budgetEnd(hooks, firing),
  };
  if (!hooks.some(({ group }) => group.sequential)) {
    return soon(allSoon(hooks.map((hook) => runLone(hook, firing, services, shared))), joined);
  }
  const lanes = lanesOf(hooks).map((lane) => runLane(lane, firing, services, shared));
  return Promise.all(lanes).then((runs) => joined(inConfiguredOrder(runs.flat(), hooks)));
}

/** In-process hooks take no place. */
const noSlots: Slots = slots(0);
const noWarnings: readonly Warning[] = [];
const noRuns: Runs = { runs: [], warnings: noWarnings };

function lineOf({ payload, row }: Firing): string {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    const why = messageOf(cause);
    const message = `The payload of ${row.name} cannot be written as JSON: ${why}.`;
    throw new Problem("event/bad-payload", message, { about: { event: row.name }, cause });
  }
}

interface Shared {
  readonly slots: Slots;
  readonly line: string;
  /** When the event's budget for all hooks together is used up. */
  readonly endsAt: number | undefined;
}

interface LaneRun {
  readonly settled: SettledRun;
  readonly warnings: readonly Warning[];
}

function joined(runs: readonly LaneRun[]): Runs {
  const quiet = runs.every(({ warnings }) => warnings.length === 0);
  return {
    runs: runs.map(({ settled }) => settled),
    warnings: quiet ? noWarnings : runs.flatMap(({ warnings }) => warnings),
  };
}

/** Lanes end in any order; people read results in configured order. */
function inConfiguredOrder(runs: readonly LaneRun[], hooks: readonly ConfiguredHook[]): readonly LaneRun[] {
  const places = new Map(hooks.map(({ ref }, place) => [ref.id, place]));
  const placeOf = ({ settled }: LaneRun): number => places.get(settled.record.hook.id) ?? 0;
  return [...runs].sort((a, b) => placeOf(a) - placeOf(b));
}

function runLone(hook: ConfiguredHook, firing: Firing, services: Services, shared: Shared): Soon<LaneRun> {
  const limits = limitsOf(hook, shared.line, firing, shared);
  const one = runOne(hook, firing, services, limits);
  return one instanceof Promise ? one.then(loneRun) : loneRun(one);
}

function loneRun({ record, warnings }: OneRun): LaneRun {
  return { settled: { record, chain: null }, warnings };
}

/** A sequential group is one lane; every other hook has a lane of its own. */
function lanesOf(hooks: readonly ConfiguredHook[]): readonly (readonly ConfiguredHook[])[] {
  const lanes = new Map<string, ConfiguredHook[]>();
  for (const hook of hooks) {
    const key = hook.group.sequential ? `group ${hook.group.key}` : `hook ${hook.ref.id}`;
    lanes.set(key, [...(lanes.get(key) ?? []), hook]);
  }
  return [...lanes.values()];
}

async function runLane(
  lane: readonly ConfiguredHook[],
  firing: Firing,
  services: Services,
  shared: Shared,
): Promise<readonly LaneRun[]> {
  const [first] = lane;
  if (first === undefined || !first.group.sequential)
    return Promise.all(lane.map((hook) => runLone(hook, firing, services, shared)));
  const runs: LaneRun[] = [];
  let { payload } = firing;
  let { line } = shared;
  for (const hook of lane) {
    const limits = limitsOf(hook, line, firing, shared);
    const { record, warnings } = await runOne(hook, { ...firing, payload }, services, limits);
    runs.push({ settled: { record, chain: hook.group.key }, warnings });
    const next = chained(payload, record.answer, firing);
    if (next !== payload && line !== "") line = JSON.stringify(next);
    payload = next;
  }
  return runs;
}

function limitsOf(hook: ConfiguredHook, line: string, firing: Firing, { slots, endsAt }: Shared): OneLimits {
  if (endsAt === undefined) return { line, slots, timeoutMs: timeoutOf(hook.hook, hook.row, {}) };
  const own = timeoutOf(hook.hook, hook.row, firing.environmentOf(hook));
  return { line, slots, timeoutMs: remainingMs({ timeoutMs: own, endsAt }), endsAt };
}

function budgetEnd(hooks: readonly ConfiguredHook[], { row, environmentOf }: Firing): number | undefined {
  const [first] = hooks;
  if (row.special.budget === undefined || first === undefined) return undefined;
  const own = hooks.map(({ hook }) => hook);
  const budget = eventBudgetMs(row, own, environmentOf(first));
  return budget === undefined ? undefined : performance.now() + budget;
}

/** The payload the next hook of a chain gets: what the one before it rewrote stands in its place. */
function chained(payload: AnyPayload, answer: Omit<Answer, "verdict"> | undefined, { row }: Firing): AnyPayload {
  if (answer?.input !== undefined && "tool_input" in row.fields) return { ...payload, tool_input: answer.input };
  const shown = answer?.output?.displayContent;
  return shown === undefined ? payload : { ...payload, delta: shown };
}
