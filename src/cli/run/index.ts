import { resolve } from "node:path";
import { messageOf } from "../../protocol/index.ts";
import type { AppInside, FailureMode, LogRecord, ReadPayload, World } from "../../sdk/index.ts";
import * as sdk from "../../sdk/index.ts";
import { type RunArguments, readArguments } from "./arguments.ts";
import { type Input, readInput } from "./stdin.ts";
import { guardStdout, writeWhole } from "./stdout.ts";

const { appendLog, appFailure, buildLater, loadApp, readPayload, sourceHash } = sdk;

/**
 * `hookline run HOOKS_FILE`: one event on stdin, one answer on stdout, and the process ends.
 *
 * Contract: never silence. Whatever goes wrong ends by the failure mode: `block` is exit 2 with the reason on stderr and an empty
 * stdout, `continue` a message for the person and exit 1.
 */
export async function runHooks(words: readonly string[]): Promise<void> {
  const exit = process.exit.bind(process);
  const call = readArguments(words);
  if (call === undefined) {
    complain("hookline run takes one hooks file. See hookline run --help.");
    return exit(1);
  }
  guardStdout();
  const { env } = process;
  const about = aboutCall(call);
  const state: Running = { app: undefined, event: undefined, answered: undefined, given: call.onFailure, about };
  const fail = (message: string): never => exit(settleFailure(message, state, env));
  guardProcess(fail, state);
  if (env["HOOKLINE"] === "0") {
    appendLog({ time: new Date().toISOString(), event: "", ...state.about, answer: "none", off: true }, env, complain);
    return exit(0);
  }
  await answerEvent(call, state, fail).catch((error: unknown) => fail(`hookline run failed: ${messageOf(error)}`));
  exit(state.answered);
}

const silenceMs = 5_000;

async function answerEvent(call: RunArguments, state: Running, fail: (message: string) => never): Promise<void> {
  const { env } = process;
  const unreadable = (error: unknown): Input => ({ fault: messageOf(error) });
  const reading = readInput(silenceMs, call.head).catch(unreadable);
  const [input, loaded] = await Promise.all([reading, load(call.file, state)]);
  if ("problem" in loaded) {
    state.event = nameIn(input);
    return fail(loaded.problem);
  }
  const payload = parse(input);
  if (call.record !== undefined && "text" in input) await keep(call.record, input.text);
  if ("fault" in payload) return fail(`The event for ${call.file} cannot be read: ${payload.fault}.`);
  state.event = String(payload.value["hook_event_name"]);
  const records: LogRecord[] = [];
  const settled = await loaded.app.dispatch(payload.value, worldOf(call, loaded.app, records));
  // A promise that is rejected by now is told of in this turn of the event loop, and before the answer.
  await new Promise(setImmediate);
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
}

/** What is known so far, for a failure that comes from anywhere. */
interface Running {
  app: AppInside | undefined;
  event: string | undefined;
  /** The exit code that belongs to the answer, once it is written. */
  answered: number | undefined;
  readonly given: FailureMode | undefined;
  readonly about: Readonly<Record<string, unknown>>;
}

/** For the log: who called, and whether a daemon may have run handlers in part before. */
function aboutCall({ because }: RunArguments): Readonly<Record<string, unknown>> {
  if (because === undefined) return { transport: "run" };
  return { transport: "client", inProcess: because, ...(because === "rerun" ? { rerun: true } : {}) };
}

/** A handler that ends the process would end the chain without an answer; what it throws outside its promise would do the same. */
function guardProcess(fail: (message: string) => never, state: Running): void {
  process.exit = (code) => {
    const error = new Error(`process.exit(${code ?? ""}) was called; a hook ends by returning`);
    Error.captureStackTrace(error, process.exit); // the place to name is where it was called
    throw error;
  };
  process.on("uncaughtException", (error) => fail(`A hook threw where nobody could catch it: ${messageOf(error)}`));
  process.on("unhandledRejection", (reason) => {
    const why = messageOf(reason);
    const message = `A hook left a rejected promise behind: ${why}`;
    if (modeOf(state) === "block") fail(message);
    complain(message);
  });
}

function modeOf({ app, event, given }: Running): FailureMode {
  return app?.modeFor(event, given) ?? given ?? "continue";
}

/** Tells of a failure that is no handler's, in every place that exists, and gives the exit code. */
function settleFailure(message: string, state: Running, env: NodeJS.ProcessEnv): number {
  if (state.answered !== undefined) {
    complain(message); // a second answer would spoil the first
    return state.answered;
  }
  const mode = modeOf(state);
  const { stdout, stderr, exitCode } = appFailure(message, mode);
  writeWhole(2, stderr);
  writeWhole(1, stdout);
  const answer = mode === "block" ? "refused" : "none";
  const record = {
    time: new Date().toISOString(),
    event: state.event ?? "",
    ...state.about,
    answer,
    failed: message,
  };
  appendLog(record, env, complain);
  return exitCode;
}

type Loaded = { readonly app: AppInside; readonly unbuilt: string | undefined };

/** The app is known at once: what the file leaves behind may fail before the event is read. */
async function load(file: string, state: Running): Promise<Loaded | { problem: string }> {
  let unbuilt: string | undefined;
  const noteUnbuilt = (path: string) => {
    unbuilt = path;
  };
  try {
    const app = await loadApp(file, { env: process.env, cwd: process.cwd(), sdk, unbuilt: noteUnbuilt });
    state.app = app;
    return { app, unbuilt };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Loaded for those who ask only. */
async function keep(folder: string, text: string): Promise<void> {
  const { keepPayload } = await import("./keep.ts");
  keepPayload(folder, text, complain);
}

function parse(input: Input): ReadPayload {
  return "fault" in input ? input : readPayload(input.text);
}

function nameIn(input: Input): string | undefined {
  const read = parse(input);
  return "value" in read ? String(read.value["hook_event_name"]) : undefined;
}

function worldOf({ file, onFailure }: RunArguments, app: AppInside, records: LogRecord[]): World {
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
    openTranscript: async (path) => (await import("./transcript.ts")).openTranscript(path),
    ...(app.options.log === false ? {} : { log: (record: LogRecord) => void records.push(record) }),
    complain,
    ...(onFailure === undefined ? {} : { onFailure }),
  };
}

function complain(line: string): void {
  writeWhole(2, `hookline: ${line}\n`);
}
