import { AsyncLocalStorage } from "node:async_hooks";
import { join, resolve } from "node:path";
import { statePath, writeFully } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { TaskBackend } from "../../sdk/index.ts";
import {
  type AppRuntime,
  defaultDeadline,
  guardExit,
  loadApp,
  openTranscript,
  type RunEnvironment,
} from "../../sdk/internal.ts";
import type { ChildReady, ChildSetup, HandlerStart, ReplayQuestion, UncaughtError } from "../child-protocol.ts";
import { type EventFailure, replayAnswer } from "./answer-summary.ts";
import { effectLog, isDenied } from "./effect-log.ts";
import { refuseReplayEffects } from "./refuse-effects.ts";
import { scratchState } from "./scratch-state.ts";

const exit = guardExit(() => true);
const log = effectLog();
const uncaughtErrors: UncaughtError[] = [];
/** What failed outside of handlers' promises, while the file was loaded or in one event. In `run` each event has a process of its own. */
interface Failures {
  first?: EventFailure;
}
const ofLoad: Failures = {};
const ofEvent = new AsyncLocalStorage<Failures>();
let latest = ofLoad;
void main();

/** The process that runs the app, started by `player.ts`: reads one event per line and writes one answer per line. */
async function main(): Promise<void> {
  const lines = linesOf(process.stdin);
  const setup = JSON.parse((await lines.next()).value ?? "{}") as ChildSetup;
  protectOutput();
  const send = (line: unknown) => writeFully(1, `${setup.mark}${JSON.stringify(line)}\n`);
  if (!setup.allowEffects) await refuseReplayEffects(log);
  const app = await loadApp(setup.hooks, { env: process.env, cwd: setup.cwd }).catch((error: unknown) => {
    send({ ready: false, why: messageOf(error), effects: log.take() } satisfies ChildReady);
    return exit(0);
  });
  const folder = process.cwd();
  const guarded = app.describe().flatMap(({ event }) => (app.modeFor(event) === "block" ? [event] : []));
  app.observe?.(({ kind, handler = "middleware", event }) => {
    if (kind !== "handler-start") return;
    log.current = handler;
    if (guarded.includes(event)) send({ starts: handler } satisfies HandlerStart);
  });
  const handlers = app.handlers?.() ?? [];
  send({ ready: true, deadlineMs: longestDeadline(app), handlers, guarded } satisfies ChildReady);
  for await (const line of lines) {
    const question = JSON.parse(line) as ReplayQuestion;
    // As the host sets it; the inherited value belongs to another session.
    if (question.project === undefined) delete process.env["CLAUDE_PROJECT_DIR"];
    else process.env["CLAUDE_PROJECT_DIR"] = question.project;
    const tasks: string[] = [];
    latest = { ...ofLoad };
    const begun = performance.now();
    const settled = await ofEvent.run(latest, () =>
      app.dispatch(question.payload, runEnvironment(setup, app, question, tasks)),
    );
    const isLate = performance.now() - begun > deadlineOf(app, settled.event) + graceMs;
    if (isLate) latest.first ??= { error: "it blocked the event loop past its deadline", isRefused: false };
    // As in `run`: a promise that is rejected by now counts.
    await new Promise(setImmediate);
    const failure = guarded.includes(settled.event) ? latest.first : undefined;
    await settled
      .dispose()
      .catch((error: unknown) => console.error(`A provider could not be disposed: ${String(error)}`));
    log.current = undefined;
    if (process.cwd() !== folder) process.chdir(folder);
    const errors = uncaughtErrors.splice(0, 20);
    send(replayAnswer(settled, { effects: log.take(), tasks, uncaughtErrors: errors, failure }));
    uncaughtErrors.length = 0;
  }
  exit(0);
}

/** Keeps the app's output out of the protocol, and the process running after an uncaught error. */
function protectOutput(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true });
  const record = (error: unknown) => {
    const handler = log.current ?? "(the app)";
    const failure = { error: `uncaught error: ${messageOf(error)}`, isRefused: isDenied(error) };
    uncaughtErrors.push({ handler, error: failure.error });
    (ofEvent.getStore() ?? latest).first ??= failure;
  };
  process.on("uncaughtException", record);
  process.on("unhandledRejection", record);
}

/** As in `run`: a handler that is not done by then blocks the event loop. */
const graceMs = 1_000;

function deadlineOf(app: AppRuntime, event: string): number {
  return app.describe().find((one) => one.event === event)?.deadlineMs ?? defaultDeadline(event);
}

function longestDeadline(app: AppRuntime): number {
  const deadlines = app.describe().map(({ deadlineMs }) => deadlineMs);
  return deadlines.length === 0 ? defaultDeadline("PreToolUse") : Math.max(...deadlines);
}

/** The names of tasks that a handler adds go to `tasks`. */
function runEnvironment(setup: ChildSetup, app: AppRuntime, question: ReplayQuestion, tasks: string[]): RunEnvironment {
  const time = Date.parse(question.at ?? "");
  const { stateDir } = app.options;
  const base = {
    env: process.env,
    cwd: setup.cwd,
    now: () => (Number.isNaN(time) ? Date.now() : time),
  };
  const folders = {
    real: stateDir === undefined ? join(statePath({ env: process.env }), "state") : resolve(setup.cwd, stateDir),
    scratch: join(setup.scratch, "state"),
  };
  return {
    ...base,
    signal: new AbortController().signal,
    replay: true,
    openTranscript,
    state: scratchState(app, question.payload, base, folders),
    tasks: recordedTasks(tasks),
    complain: () => undefined,
  };
}

/** Complete lines of a stream. `readline` would also split at characters that JSON may contain, such as U+2028. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      pieces.push(rest.subarray(0, end));
      yield Buffer.concat(pieces).toString("utf8");
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  }
}

/** A task backend that records the name of each task and runs none. */
function recordedTasks(names: string[]): TaskBackend {
  return {
    add: async ({ task }) => {
      names.push(task);
      return `replay-${names.length}`;
    },
    get: async () => undefined,
    list: async () => [],
    take: async () => undefined,
    cancel: async () => false,
    wake: async () => undefined,
    claim: async () => undefined,
    beat: async () => false,
    finish: async () => false,
    close: async () => undefined,
  };
}
