import { resolve } from "node:path";
import { messageOf, systemErrorMessage } from "../../protocol/internal.ts";
import * as sdk from "../../sdk/index.ts";
import {
  type AppRuntime,
  appendLog,
  buildLater,
  errorWithLocation,
  guardExit,
  hasThreads,
  type LogRecord,
  loadApp,
  noteThreads,
  readPayload,
  runEnvironment,
  type SettledEvent,
  sourceHash,
  type Watchdog,
  type WireAnswer,
} from "../../sdk/internal.ts";
import type { PackageCode } from "../code-cache.ts";
import { asksToBlock, readArguments } from "./run-arguments.ts";
import { failureOf, logFields, logRun, modeOf, type RunState } from "./run-state.ts";
import { type Input, readInput } from "./stdin.ts";
import { printAnswer, reserveStdout, warn } from "./stdout.ts";
import { type FailRun, watch, watchEnd, watchHandlers } from "./watch-run.ts";

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
  noteThreads();
  const exit = guardExit(() => true);
  const { env } = process;
  const state: RunState = { call, code, exit, app: undefined, payload: undefined, answered: undefined };
  const fail: FailRun = (message, then) => {
    const exitCode = settleFailure(message, state);
    then?.();
    return exit(exitCode);
  };
  guardProcess(fail, state);
  if (env["HOOKLINE"] === "0") {
    state.answered = 0;
    logRun(state, { event: "", answer: "none", off: true });
    return exit(0);
  }
  const failed = (error: unknown) => fail(`hookline run failed: ${messageOf(error)}`);
  const { isKnown } = await answerEvent(state, fail).catch(failed);
  if (isKnown && code !== undefined) await saveUncached(code);
  exit(state.answered ?? 0);
}

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
  const { file, onFailure, spentMs } = call;
  const given = { env, cwd: process.cwd(), complain: warn, file, onFailure, spentMs };
  const environment = runEnvironment(loaded.app, given, records);
  const settled = await loaded.app.dispatch(payload.value, environment);
  await reportStrays();
  unwatch?.();
  settle(withExitCode(settled, state), state);
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

/**
 * Reports what handlers throw outside of their promise: it would end the process without an answer. So would a promise that never settles,
 * when nothing else keeps the process running.
 */
function guardProcess(fail: FailRun, state: RunState): void {
  process.exitCode = modeOf(state) === "block" ? 2 : 1;
  process.on("exit", () => {
    if (state.answered === undefined) fail(`${state.call.file} ended without an answer: a promise never settles.`);
  });
  process.on("uncaughtException", (error) => fail(`Uncaught exception in a hook: ${errorWithLocation(error)}`));
  process.on("unhandledRejection", (reason) => {
    const message = `Unhandled rejection in a hook: ${errorWithLocation(reason)}`;
    if (modeOf(state) === "block") fail(message);
    warn(message);
    if (state.app?.options.log === false) return;
    logRun(state, { failed: message });
  });
}

/** Writes a failure of the whole app to stderr, stdout and the log. Returns the exit code. */
function settleFailure(message: string, state: RunState): number {
  if (state.answered !== undefined) {
    warn(message); // the answer is already written
    return state.answered;
  }
  const { record, ...failure } = failureOf(message, state);
  const exitCode = settle(failure, state);
  appendLog(record, process.env, warn);
  return exitCode;
}

/** Writes the answer. Under `block` the process then ends, whatever handlers left behind. Returns the exit code. */
function settle(answer: WireAnswer, state: RunState): number {
  const mode = modeOf(state);
  const exitCode = printAnswer(answer, mode);
  state.answered = exitCode;
  process.exitCode = exitCode;
  if (mode === "block") watchEnd(state, exitCode);
  return exitCode;
}

/** A thread that a handler started can write to standard output too. Under `block` a denial is then the exit code as well. */
function withExitCode(settled: SettledEvent, state: RunState): WireAnswer {
  const { refusal, halt = refusal?.reason } = settled.folded;
  if (halt === undefined || settled.exitCode !== 0 || !hasThreads() || modeOf(state) !== "block") return settled;
  return { ...settled, stderr: `${settled.stderr}${refusal?.reason ?? halt}\n`, exitCode: 2 };
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
    return { problem: systemErrorMessage(error) ?? messageOf(error) };
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
