import {
  type AgentHook,
  groupBy,
  messageOf,
  Problem,
  type PromptHook,
  type RunRecord,
  showValue,
  textField,
} from "../../protocol/internal.ts";
import { hookEnvironment } from "../runners/command/command-env.ts";
import { frozenFor, runCallback, runFunction } from "../runners/in-process.ts";
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
import { type RunnerResult, resultNotStarted } from "../runners/runner-result.ts";
import { type ConfiguredHook, isInProcess } from "../settings/layer.ts";
import type { FiringEvent, HookRun } from "./firing-event.ts";
import { runDeeperAsync, runOneDeeper } from "./hook-depth.ts";
import type { AnyPayload } from "./payload.ts";
import { type FinishedRun, recordRun, recordStillRunning } from "./record-run.ts";

/**
 * Runs hooks side by side, those of a sequential group one after another; all of them run, whatever others answer. The runs are in
 * configured order, whatever order they finished in.
 */
export function runMatched(hooks: readonly ConfiguredHook[], event: FiringEvent): MaybeAsync<readonly FinishedRun[]> {
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

function lineOf({ payload, row }: FiringEvent): string {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    const why = messageOf(cause);
    const message = `The payload of ${row.name} cannot be written as JSON: ${why}.`;
    throw new Problem("event/bad-payload", message, { about: { event: row.name }, cause });
  }
}

function budgetEnd(hooks: readonly ConfiguredHook[], event: FiringEvent): number | undefined {
  const [first] = hooks;
  if (event.row.special.budget === undefined || first === undefined) return undefined;
  const own = hooks.map(({ hook }) => hook);
  const budget = eventBudgetMs(event.row, own, hookEnvironment(first, event));
  return budget && performance.now() + budget;
}

function hookRun(hook: ConfiguredHook, event: FiringEvent, { slots, line, endsAt }: Shared): HookRun {
  if (endsAt === undefined) return { event, hook, line, slots, timeoutMs: timeoutOf(hook.hook, hook.row, {}) };
  const own = timeoutOf(hook.hook, hook.row, hookEnvironment(hook, event));
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
  event: FiringEvent,
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

function payloadAfter({ answer }: RunRecord, { row, payload }: FiringEvent): AnyPayload {
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
  const { onStep, services } = run.event;
  const { ref, hook } = run.hook;
  const startedAt = services.clock.now();
  onStep?.({ kind: "started", hook: ref, ...(hook.statusMessage ? { statusMessage: hook.statusMessage } : {}) });
  return whenReady(runByType(run), (result) => finish(run, result, startedAt));
}

function finish(run: HookRun, result: RunnerResult | "background", startedAt: number): MaybeAsync<FinishedRun> {
  const { onStep, payload, services } = run.event;
  const times = { startedAt, durationMs: services.clock.now() - startedAt };
  const finished = result === "background" ? recordStillRunning(run, times) : recordRun(run, result, times);
  return whenReady(finished, (done) => {
    onStep?.({ kind: "ended", record: done.record });
    services.observe(done.record, payload);
    return done;
  });
}

/** Runs a hook by its type. `background`: the run continues and its answer comes later. */
function runByType(run: HookRun): MaybeAsync<RunnerResult | "background"> {
  const { event, timeoutMs } = run;
  const { payload, signal, depth, copies } = event;
  const { hook, fails } = run.hook;
  if (fails !== undefined) return resultNotStarted(fails);
  const { options } = event.services;
  switch (hook.type) {
    case "callback": {
      const frozen = frozenFor(payload, copies, "payload", () => payload);
      const call = { payload: frozen, toolUseId: textField(payload, "tool_use_id"), timeoutMs, signal };
      return runOneDeeper(hook, depth, () => runCallback(hook, call));
    }
    case "function": {
      const { conversation } = options;
      const given = readConversation(() =>
        frozenFor(payload, copies, "conversation", () => conversation?.(payload) ?? []),
      );
      if ("failed" in given) return resultNotStarted(given.failed);
      return runOneDeeper(hook, depth, () => runFunction(hook, { messages: given.conversation, timeoutMs, signal }));
    }
    case "command":
      return commands === undefined ? loadCommands().then(() => runByType(run)) : commands.runCommand(hook, run);
    case "http":
      return import("../runners/http/http-hook.ts").then(({ runHttpHook }) => runHttpHook(hook, run));
    case "prompt":
    case "agent":
      return runModelHook(hook, run);
    case "mcp_tool": {
      const { mcp: port } = options.ports;
      if (port === undefined) return resultNotStarted("the host provides no MCP servers");
      return import("../runners/mcp-tool.ts").then(({ runMcpTool }) =>
        runMcpTool(hook, { payload, port, timeoutMs, signal }),
      );
    }
  }
}

let commands: typeof import("../runners/command/command-hook.ts") | undefined;

/** Loaded with the first command hook, because it is half of the engine's code. */
async function loadCommands(): Promise<void> {
  commands = await import("../runners/command/command-hook.ts");
}

async function runModelHook(hook: PromptHook | AgentHook, run: HookRun): Promise<RunnerResult> {
  const { event, line, timeoutMs } = run;
  const { model, agent } = event.services.options.ports;
  const port = hook.type === "prompt" ? model : agent;
  if (port === undefined) return resultNotStarted(`the host provides no ${hook.type === "prompt" ? "model" : "agent"}`);
  const given = conversationFor(run);
  if ("failed" in given) return resultNotStarted(given.failed);
  const { runModel } = await import("../runners/model-hook.ts");
  const call = { ref: run.hook.ref, payloadJson: line, timeoutMs, signal: event.signal, ...given, port };
  return hook.type === "prompt" ? runModel(hook, call) : runDeeperAsync(event.depth, () => runModel(hook, call));
}

/** Only hooks that judge the end of a turn get the conversation. */
function conversationFor({ event }: HookRun): ReturnType<typeof readConversation> | { readonly conversation?: never } {
  const { row, payload, services } = event;
  const { conversation } = services.options;
  if (!row.special.endsTurn || conversation === undefined) return {};
  return readConversation(() => conversation(payload));
}

/** Reads the conversation by the host's code, which may throw or return something else. */
function readConversation(
  read: () => unknown,
): { readonly conversation: readonly unknown[] } | { readonly failed: string } {
  try {
    const conversation = read();
    if (Array.isArray(conversation)) return { conversation };
    return { failed: `the host's conversation is ${showValue(conversation)}, not a list` };
  } catch (error) {
    return { failed: `the host's conversation cannot be read: ${messageOf(error)}` };
  }
}
