import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { writeFully } from "../../files/internal.ts";
import { attempt, messageOf } from "../../protocol/internal.ts";
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
  lineForLog,
  loadApp,
  readPayload,
  runEnvironment,
  sourceHash,
  startWatchdog,
  type Watchdog,
  type WireAnswer,
} from "../../sdk/internal.ts";
import type { PackageCode } from "../code-cache.ts";
import { asksToBlock, type RunArguments, readArguments } from "./run-arguments.ts";
import { type Input, readInput } from "./stdin.ts";
import { reserveStdout } from "./stdout.ts";

/**
 * `hookline run HOOKS_FILE`: reads one event from stdin, writes one answer to stdout, and exits.
 *
 * No failure is silent. With failure mode `block` it exits with 2, the reason on stderr and nothing on stdout; with `continue` the user
 * gets a message and it exits with 1.
 */
export async function runHooks(args: readonly string[], code?: PackageCode): Promise<void> {
  const call = readArguments(args);
  if ("wrong" in call) {
    warn(`${call.wrong} See hookline run --help.`);
    return process.exit(asksToBlock(args) ? 2 : 1);
  }
  reserveStdout();
  const exit = guardExit(() => true);
  const { env } = process;
  const state: RunState = { call, code, app: undefined, payload: undefined, answered: undefined };
  const fail: FailRun = (message, then) => {
    const exitCode = settleFailure(message, state);
    then?.();
    return exit(exitCode);
  };
  guardProcess(fail, state);
  if (env["HOOKLINE"] === "0") {
    logRun(state, { event: "", answer: "none", off: true });
    return exit(0);
  }
  const failed = (error: unknown) => fail(`hookline run failed: ${messageOf(error)}`);
  const { isKnown } = await answerEvent(state, fail).catch(failed);
  if (isKnown && code !== undefined) await saveUncached(code);
  exit(state.answered ?? 0);
}

/** Reports a failure of the whole app and ends the process; `then` runs just before the exit. */
type FailRun = (message: string, then?: () => void) => never;

const silenceMs = 5_000;

async function answerEvent(state: RunState, fail: FailRun): Promise<Loaded> {
  const { env } = process;
  const { call } = state;
  const unreadable = (error: unknown): Input => ({ fault: messageOf(error) });
  const reading = readInput(silenceMs, call.head).catch(unreadable);
  const [input, loaded] = await Promise.all([reading, load(state, fail)]);
  const payload = "fault" in input ? input : readPayload(input.text);
  if ("value" in payload) state.payload = payload.value;
  if ("problem" in loaded) return fail(loaded.problem);
  if (call.record !== undefined && "text" in input) {
    const { recordPayload } = await import("../../sdk/internal.ts"); // loaded on demand
    recordPayload(call.record, input.text, warn);
  }
  if ("fault" in payload) return fail(`The event for ${call.file} cannot be read: ${payload.fault}.`);
  const records: LogRecord[] = [];
  const unwatch = modeOf(state) === "block" ? watchHandlers(loaded.app, state, fail) : undefined;
  const { file, onFailure } = call;
  const environment = runEnvironment(loaded.app, { env, cwd: process.cwd(), complain: warn, file, onFailure }, records);
  const settled = await loaded.app.dispatch(payload.value, environment);
  await reportStrays();
  unwatch?.();
  state.answered = printAnswer(settled, modeOf(state));
  const source = records.length === 0 ? undefined : sourceHash(resolve(call.file), env);
  const about = { ...logFields(call), ...(source === undefined ? {} : { source }) };
  for (const record of records) appendLog({ ...record, ...about }, env, warn, loaded.app.options.log);
  const notDisposed = (error: unknown) => warn(`A provider was not disposed: ${String(error)}`);
  await settled.dispose().catch(notDisposed);
  await loaded.app.end?.().catch(notDisposed);
  if (loaded.unbuilt !== undefined) await buildLater(loaded.unbuilt, env);
  return loaded;
}

/** A promise that is rejected by now, and a timer without a delay that throws, must be reported before the answer is written. */
function reportStrays(): Promise<void> {
  // Without a timer there is no need to wait for one, which takes a millisecond.
  const hasTimers = process.getActiveResourcesInfo().includes("Timeout");
  return new Promise((resolve) => void (hasTimers ? setTimeout(resolve, 1) : setImmediate(resolve)));
}

/** What is known so far, for a failure at any time. */
interface RunState {
  readonly call: RunArguments;
  readonly code: PackageCode | undefined;
  app: AppRuntime | undefined;
  payload: WirePayload | undefined;
  /** The exit code, once the answer is written. */
  answered: number | undefined;
}

/** For the log: the caller, and whether a daemon may already have run some handlers. */
function logFields({ because }: RunArguments): Readonly<Record<string, unknown>> {
  if (because === undefined) return { transport: "run" };
  return { transport: "client", inProcess: because, ...(because === "rerun" ? { rerun: true } : {}) };
}

/** Reports what handlers throw outside of their promise: it would end the process without an answer. */
function guardProcess(fail: FailRun, state: RunState): void {
  process.on("uncaughtException", (error) => fail(`Uncaught exception in a hook: ${errorWithLocation(error)}`));
  process.on("unhandledRejection", (reason) => {
    const message = `Unhandled rejection in a hook: ${errorWithLocation(reason)}`;
    if (modeOf(state) === "block") fail(message);
    warn(message);
    if (state.app?.options.log === false) return;
    logRun(state, { failed: message });
  });
}

/** Fails the run when a handler blocks the event loop past its deadline. Returns a function that stops the watchdog. */
function watchHandlers(app: AppRuntime, state: RunState, fail: FailRun): () => void {
  const event = eventOf(state) ?? "";
  const ms = app.describe().find((one) => one.event === event)?.deadlineMs ?? defaultDeadline(event);
  let handler = "middleware";
  const message = () => `Hook ${handler} failed on ${event}: it blocked the event loop for longer than ${ms} ms`;
  const watchdog = watch(ms, message, state, fail);
  app.observe?.((event) => {
    if (event.kind !== "handler-start" || event.handler === undefined) return;
    handler = event.handler;
    watchdog.update();
  });
  return watchdog.stop;
}

/** Fails the run with this message when it blocks the event loop for longer than `ms`. */
function watch(ms: number, message: () => string, state: RunState, fail: FailRun): Watchdog {
  // Closed, since Node prints a message about the debugger on stderr, which the model reads.
  const onLate = () => fail(message(), () => closeSync(2));
  const failure = () => {
    const { stdout, stderr, exitCode, record } = failureOf(message(), state);
    const log = state.app?.options.log === false ? [] : [lineForLog(record, process.env)];
    return { texts: [[2, stderr], [1, stdout], ...log], exitCode } as const;
  };
  return startWatchdog({ ms, onLate, failure, warn });
}

function modeOf(state: RunState): FailureMode {
  const { onFailure } = state.call;
  return state.app?.modeFor(eventOf(state), onFailure) ?? onFailure ?? "continue";
}

function eventOf({ payload, call }: RunState): string | undefined {
  return payload === undefined ? call.event : String(payload["hook_event_name"]);
}

function logRun(state: RunState, fields: Readonly<Record<string, unknown>>): void {
  appendLog(logRecord(state, fields), process.env, warn);
}

function logRecord(state: RunState, fields: Readonly<Record<string, unknown>>): LogRecord {
  return { time: new Date().toISOString(), event: eventOf(state) ?? "", ...logFields(state.call), ...fields };
}

/** Writes a failure of the whole app to stderr, stdout and the log. Returns the exit code. */
function settleFailure(message: string, state: RunState): number {
  if (state.answered !== undefined) {
    warn(message); // the answer is already written
    return state.answered;
  }
  const { record, ...failure } = failureOf(message, state);
  state.answered = printAnswer(failure, modeOf(state));
  appendLog(record, process.env, warn);
  return state.answered;
}

function failureOf(message: string, state: RunState): WireAnswer & { readonly record: LogRecord } {
  const failure = appFailure(message, modeOf(state), state.payload);
  const answer = failure.exitCode === 2 ? "refused" : "none";
  return { ...failure, record: logRecord(state, { answer, failed: message }) };
}

/** Returns the exit code. A denial that could not be written would have no effect, so under `block` the exit code denies. */
function printAnswer({ stdout, stderr, exitCode }: WireAnswer, mode: FailureMode): number {
  writeFully(2, stderr);
  if (attempt(() => writeFully(1, stdout))) return exitCode;
  warn(`the answer could not be written to standard output${mode === "block" ? "; denied" : ""}`);
  return mode === "block" ? 2 : exitCode;
}

interface Loaded {
  readonly app: AppRuntime;
  readonly unbuilt: string | undefined;
  /** Whether an earlier start has built the file. */
  readonly isKnown: boolean;
}

/**
 * Stores the app in `state` at once, since code of the file can fail before the event is read. A module that may block the thread is
 * watched when a failure blocks, and when it is new.
 */
async function load(state: RunState, fail: FailRun): Promise<Loaded | { problem: string }> {
  const { env } = process;
  const { call, code } = state;
  const build: { unbuilt: string | undefined; isKnown: boolean } = { unbuilt: undefined, isKnown: false };
  const onUnbuilt = (path: string) => void Object.assign(build, { unbuilt: path });
  const onCachedBuild = () => void Object.assign(build, { isKnown: true });
  let watchdog: Watchdog | undefined;
  const onImport = (limitMs: number, message: string) => {
    // Without builds it is not known what is new.
    const isNew = !build.isKnown && env["HOOKLINE_BUILD_AHEAD"] !== "0";
    if (call.onFailure === "block" || isNew) watchdog = watch(limitMs, () => message, state, fail);
  };
  try {
    const entryPoint = code && ((name: string) => (name === "hookline/sdk" ? sdk : code.entryPoint(name)));
    const notices = { onUnbuilt, onCachedBuild, onImport };
    const app = await loadApp(call.file, { env, cwd: process.cwd(), ...(entryPoint && { entryPoint }), ...notices });
    state.app = app;
    return { app, ...build };
  } catch (error) {
    return { problem: messageOf(error) };
  } finally {
    watchdog?.stop();
  }
}

/** Once per version of the package and of Node, after the answer. The first start of a file runs other code than later ones. */
async function saveUncached({ uncached }: PackageCode): Promise<void> {
  if (uncached.length === 0) return;
  const { saveCode } = await import("../code-cache.ts");
  for (const code of uncached) await saveCode(code, process.env);
}

function warn(line: string): void {
  writeFully(2, `hookline: ${line}\n`);
}
