import type { Answer, Warning } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import type { Firing, OneRun, World } from "./firing.ts";
import type { AnyPayload } from "./payload.ts";
import { runOne } from "./run-one.ts";
import type { SettledRun } from "./settle/settle.ts";
import { type Slots, slots } from "./slots.ts";
import { eventBudgetMs, timeoutOf } from "./timeouts.ts";

export interface Runs {
  /** In configured order, whatever order they finished in. */
  readonly runs: readonly SettledRun[];
  readonly warnings: readonly Warning[];
}

/** Runs hooks side by side, those of a sequential group one after another; all of them run, whatever others say. */
export async function run(hooks: readonly ConfiguredHook[], firing: Firing, world: World): Promise<Runs> {
  if (hooks.length === 0) return { runs: [], warnings: [] };
  const shared: Shared = {
    slots: slots(world.concurrency),
    // Serialised before any callback runs, so that none can change what other hooks are told.
    line: hooks.some(({ hook }) => hook.type !== "callback" && hook.type !== "function")
      ? JSON.stringify(firing.payload)
      : "",
    endsAt: budgetEnd(hooks, firing),
  };
  const lanes = await Promise.all(lanesOf(hooks).map((lane) => runLane(lane, firing, world, shared)));
  // Lanes end in any order; people read results in configured order.
  const places = new Map(hooks.map(({ ref }, place) => [ref.id, place]));
  const placeOf = ({ settled }: LaneRun): number => places.get(settled.record.hook.id) ?? 0;
  const all = lanes.flat().sort((a, b) => placeOf(a) - placeOf(b));
  return { runs: all.map(({ settled }) => settled), warnings: all.flatMap(({ warnings }) => warnings) };
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

/** A sequential group is one lane; every other hook has a lane of its own. */
function lanesOf(hooks: readonly ConfiguredHook[]): readonly (readonly ConfiguredHook[])[] {
  const lanes: ConfiguredHook[][] = [];
  const byGroup = new Map<string, ConfiguredHook[]>();
  for (const hook of hooks) {
    const lane = hook.group.sequential ? byGroup.get(hook.group.key) : undefined;
    if (lane !== undefined) {
      lane.push(hook);
      continue;
    }
    const started = [hook];
    lanes.push(started);
    if (hook.group.sequential) byGroup.set(hook.group.key, started);
  }
  return lanes;
}

async function runLane(
  lane: readonly ConfiguredHook[],
  firing: Firing,
  world: World,
  shared: Shared,
): Promise<readonly LaneRun[]> {
  const runs: LaneRun[] = [];
  let payload = firing.payload;
  let line = shared.line;
  for (const hook of lane) {
    const one: OneRun = await runOne(hook, { ...firing, payload }, world, {
      line,
      slots: shared.slots,
      timeoutMs: limitOf(hook, shared),
    });
    const chain = lane.length > 1 ? hook.group.key : null;
    runs.push({ settled: { record: one.record, chain }, warnings: one.warnings });
    if (lane.length === 1) break;
    const next = chained(payload, one.record.answer, firing);
    if (next !== payload) line = JSON.stringify(next);
    payload = next;
  }
  return runs;
}

function limitOf(hook: ConfiguredHook, { endsAt }: Shared): number {
  const own = timeoutOf(hook.hook, hook.row);
  return endsAt === undefined ? own : Math.max(1, Math.min(own, endsAt - performance.now()));
}

function budgetEnd(hooks: readonly ConfiguredHook[], { row, environmentOf }: Firing): number | undefined {
  const [first] = hooks;
  if (row.special.budget === undefined || first === undefined) return undefined;
  const budget = eventBudgetMs(
    row,
    hooks.map(({ hook }) => hook),
    environmentOf(first),
  );
  return budget === undefined ? undefined : performance.now() + budget;
}

/** The payload the next hook of a chain gets: what the one before it rewrote stands in its place. */
function chained(payload: AnyPayload, answer: Omit<Answer, "verdict"> | undefined, { row }: Firing): AnyPayload {
  if (answer?.input !== undefined && "tool_input" in row.fields) return { ...payload, tool_input: answer.input };
  const shown = answer?.output?.displayContent;
  return shown === undefined ? payload : { ...payload, delta: shown };
}
