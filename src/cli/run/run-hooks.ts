import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "../../protocol/internal.ts";
import type { WirePayload } from "../../sdk/index.ts";
import * as sdk from "../../sdk/index.ts";
import {
  type AppRuntime,
  appendLog,
  appFailure,
  buildLater,
  defaultDeadline,
  errorWithLocation,
  type FailureMode,
  guardExit,
  type LogRecord,
  loadApp,
  openTranscript,
  type ReadPayload,
  type RunEnvironment,
  readPayload,
  sourceHash,
} from "../../sdk/internal.ts";
import type { UnkeptCode } from "../code-cache.ts";
import { asksToBlock, type RunArguments, readArguments } from "./run-arguments.ts";
import { type Input, readInput } from "./stdin.ts";
import { guardStdout, writeWhole } from "./stdout.ts";
import { watchThread } from "./thread-watchdog.ts";

/**
 * `hookline run HOOKS_FILE`: one event on stdin, one answer on stdout, and the process ends.
 *
 * Contract: never silence. Whatever goes wrong ends by the failure mode: `block` is exit 2 with the reason on stderr and an empty
 * stdout, `continue` a message for the person and exit 1.
 */
export async function runHooks(words: readonly string[], unkept?: UnkeptCode): Promise<void> {
  const call = readArguments(words);
  if ("wrong" in call) {
    complain(`${call.wrong} See hookline run --help.`);
    return process.exit(asksToBlock(words) ? 2 : 1);
  }
  guardStdout();
  const exit = guardExit(() => true);
  const { env } = process;
  const about = aboutCall(call);
  const { onFailure: given, event: expected } = call;
  const state: Running = { app: undefined, payload: undefined, answered: undefined, given, expected, about };
  const fail: Fail = (message, then) => {
    const code = settleFailure(message, state, env);
    then?.();
    return exit(code);
  };
  guardProcess(fail, state);
  if (env["HOOKLINE"] === "0") {
    appendLog({ time: new Date().toISOString(), event: "", ...state.about, answer: "none", off: true }, env, complain);
    return exit(0);
  }
  const failed = (error: unknown) => fail(`hookline run failed: ${messageOf(error)}`);
  const { isKnown } = await answerEvent(call, state, fail).catch(failed);
  if (isKnown && unkept !== undefined) await keepCode(unkept);
  exit(state.answered ?? 0);
}

/** Tells of a failure of the whole app and ends the process; `then` is the last thing before. */
type Fail = (message: string, then?: () => void) => never;

const silenceMs = 5_000;

async function answerEvent(call: RunArguments, state: Running, fail: Fail): Promise<Loaded> {
  const { env } = process;
  const unreadable = (error: unknown): Input => ({ fault: messageOf(error) });
  const reading = readInput(silenceMs, call.head).catch(unreadable);
  const [input, loaded] = await Promise.all([reading, load(call.file, state)]);
  if ("problem" in loaded) {
    state.payload = valueIn(input);
    return fail(loaded.problem);
  }
  const payload = parse(input);
  if (call.record !== undefined && "text" in input) await keep(call.record, input.text);
  if ("fault" in payload) return fail(`The event for ${call.file} cannot be read: ${payload.fault}.`);
  state.payload = payload.value;
  const records: LogRecord[] = [];
  const unwatch = modeOf(state) === "block" ? watchHandlers(loaded.app, state, fail) : undefined;
  const settled = await loaded.app.dispatch(payload.value, worldOf(call, loaded.app, records));
  // A promise that is rejected by now is told of in this turn of the event loop, and before the answer.
  await new Promise(setImmediate);
  unwatch?.();
  writeWhole(2, settled.stderr);
  writeWhole(1, settled.stdout);
  state.answered = settled.exitCode;
  const { log } = loaded.app.options;
  const limits = typeof log === "object" ? log : {};
  const source = records.length === 0 ? undefined : sourceHash(resolve(call.file), env);
  const about = source === undefined ? state.about : { ...state.about, source };
  for (const record of records) appendLog({ ...record, ...about }, env, complain, limits);
  const told = (error: unknown) => complain(`A provider was not disposed: ${String(error)}`);
  await settled.dispose().catch(told);
  await loaded.app.end?.().catch(told);
  if (loaded.unbuilt !== undefined) await buildLater(loaded.unbuilt, env);
  return loaded;
}

/** What is known so far, for a failure that comes from anywhere. */
interface Running {
  app: AppRuntime | undefined;
  payload: WirePayload | undefined;
  /** The exit code that belongs to the answer, once it is written. */
  answered: number | undefined;
  readonly given: FailureMode | undefined;
  /** The event of the entry in settings. */
  readonly expected: string | undefined;
  readonly about: Readonly<Record<string, unknown>>;
}

/** For the log: who called, and whether a daemon may have run handlers in part before. */
function aboutCall({ because }: RunArguments): Readonly<Record<string, unknown>> {
  if (because === undefined) return { transport: "run" };
  return { transport: "client", inProcess: because, ...(because === "rerun" ? { rerun: true } : {}) };
}

/** What a handler throws outside its promise would end the chain without an answer. */
function guardProcess(fail: Fail, state: Running): void {
  process.on("uncaughtException", (error) => fail(`Uncaught exception in a hook: ${errorWithLocation(error)}`));
  process.on("unhandledRejection", (reason) => {
    const message = `Unhandled rejection in a hook: ${errorWithLocation(reason)}`;
    if (modeOf(state) === "block") fail(message);
    complain(message);
    if (state.app?.options.log === false) return;
    const about = { time: new Date().toISOString(), event: eventOf(state) ?? "", ...state.about };
    appendLog({ ...about, failed: message }, process.env, complain);
  });
}

/** A handler that holds the thread past its deadline must not become an action that goes on. Gives what ends the watch. */
function watchHandlers(app: AppRuntime, state: Running, fail: Fail): () => void {
  const event = eventOf(state) ?? "";
  const ms = app.describe().find((one) => one.event === event)?.deadlineMs ?? defaultDeadline(event);
  let handler = "middleware";
  app.observe?.((seen) => {
    if (seen.kind === "handler-start") handler = seen.handler ?? handler;
  });
  const held = () =>
    // Node would tell of the debugger on stderr, which the model reads.
    fail(`Hook ${handler} failed on ${event}: it held the thread for longer than ${ms} ms`, () => closeSync(2));
  return watchThread(Math.min(ms + graceMs, 2 ** 31 - 1), held, complain);
}

/** Handlers that only wait are settled by timers of their own, and need a moment for it. */
const graceMs = 1_000;

function modeOf(state: Running): FailureMode {
  return state.app?.modeFor(eventOf(state), state.given) ?? state.given ?? "continue";
}

function eventOf({ payload, expected }: Running): string | undefined {
  return payload === undefined ? expected : String(payload["hook_event_name"]);
}

/** Tells of a failure that is no handler's, in every place that exists, and gives the exit code. */
function settleFailure(message: string, state: Running, env: NodeJS.ProcessEnv): number {
  if (state.answered !== undefined) {
    complain(message); // a second answer would spoil the first
    return state.answered;
  }
  const mode = modeOf(state);
  const { stdout, stderr, exitCode } = appFailure(message, mode, state.payload);
  writeWhole(2, stderr);
  writeWhole(1, stdout);
  const answer = exitCode === 2 ? "refused" : "none";
  const record = {
    time: new Date().toISOString(),
    event: eventOf(state) ?? "",
    ...state.about,
    answer,
    failed: message,
  };
  appendLog(record, env, complain);
  state.answered = exitCode;
  return exitCode;
}

interface Loaded {
  readonly app: AppRuntime;
  readonly unbuilt: string | undefined;
  /** An earlier start has left what it takes. */
  readonly isKnown: boolean;
}

/** The app is known at once: what the file leaves behind may fail before the event is read. */
async function load(file: string, state: Running): Promise<Loaded | { problem: string }> {
  let unbuilt: string | undefined;
  let isKnown = false;
  const noteUnbuilt = (path: string) => {
    unbuilt = path;
  };
  const noteKnown = () => {
    isKnown = true;
  };
  const { env } = process;
  try {
    const app = await loadApp(file, { env, cwd: process.cwd(), sdk, onUnbuilt: noteUnbuilt, known: noteKnown });
    state.app = app;
    return { app, unbuilt, isKnown };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Loaded for those who ask only. */
async function keep(folder: string, text: string): Promise<void> {
  const { recordPayload } = await import("../../sdk/internal.ts");
  recordPayload(folder, text, complain);
}

/** Once for every version of the package and of Node, when all is said: what a first start of a file takes is not what the others take. */
async function keepCode(unkept: UnkeptCode): Promise<void> {
  const { keepCode } = await import("../code-cache.ts");
  await keepCode(unkept, process.env);
}

function parse(input: Input): ReadPayload {
  return "fault" in input ? input : readPayload(input.text);
}

function valueIn(input: Input): WirePayload | undefined {
  const read = parse(input);
  return "value" in read ? read.value : undefined;
}

function worldOf({ file, onFailure }: RunArguments, app: AppRuntime, records: LogRecord[]): RunEnvironment {
  let never: AbortSignal | undefined;
  return {
    env: process.env,
    cwd: process.cwd(),
    file: resolve(file),
    /** Nobody aborts a process but by ending it. */
    get signal() {
      never ??= new AbortController().signal;
      return never;
    },
    replay: false,
    now: Date.now,
    openTranscript,
    ...(app.options.log === false ? {} : { log: (record: LogRecord) => void records.push(record) }),
    complain,
    ...(onFailure === undefined ? {} : { onFailure }),
  };
}

function complain(line: string): void {
  writeWhole(2, `hookline: ${line}\n`);
}
