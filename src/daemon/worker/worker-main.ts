import { AsyncLocalStorage } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { lazy, messageOf } from "../../protocol/internal.ts";
import {
  type AppRuntime,
  appendLog,
  appFailure,
  endBuilds,
  errorWithLocation,
  guardExit,
  type LogRecord,
  loadApp,
  readPayload,
  runEnvironment,
} from "../../sdk/internal.ts";
import { callEnvironment } from "./call-environment.ts";
import {
  type AppFacts,
  type CallMessage,
  cutNote,
  eventFacts,
  type FromWorker,
  failedAnswer,
  slotState,
  type ToWorker,
  type WorkerAnswer,
  type WorkerInput,
  workerAnswer,
} from "./messages.ts";
import { openStrayFailures, type StrayFailure, type StrayFailures } from "./stray-failures.ts";

/** What all calls of a thread share. */
interface WorkerState {
  readonly app: AppRuntime;
  readonly data: WorkerInput;
  /** Marks a call as finished. Contract: true for the first call of it. */
  readonly done: (id: number) => boolean;
  /** Calls that have no answer yet, or still have something to write or to end. */
  readonly running: Map<number, RunningCall>;
}

/** The body of the thread that runs handlers. It loads the app once and answers calls until it is ended. */
export async function runWorker(): Promise<void> {
  const data = workerData as WorkerInput;
  const claims = new Int32Array(data.claims);
  const running = new Map<number, RunningCall>();
  const current = new AsyncLocalStorage<RunningCall>();
  const strays = openStrayFailures(running);
  guardWorker(current, strays);
  let app: AppRuntime;
  try {
    app = await loadApp(data.file, { env: process.env, cwd: data.cwd });
    await endBuilds();
    // A promise that the file leaves rejected, and a timer of it without a delay, come before this one.
    await new Promise((resolve) => setTimeout(resolve, 1));
  } catch (error) {
    return send({ kind: "no-load", message: messageOf(error) });
  }
  let closing = false;
  const done = (id: number): boolean => {
    const first = running.delete(id);
    if (first && closing && running.size === 0) void close(app);
    return first;
  };
  const here: WorkerState = { app, data, done, running };
  parentPort?.on("message", (message: ToWorker) => {
    if ("abort" in message) return running.get(message.abort)?.abort().abort(new Error(message.why));
    if ("close" in message) {
      closing = true;
      // An answered call may still have a line of the log to write and providers to end.
      return running.size === 0 ? void close(app) : undefined;
    }
    if (Atomics.compareExchange(claims, message.slot, slotState.open, slotState.taken) !== slotState.open) {
      return send({ kind: "passed-over", slot: message.slot });
    }
    const call = beginCall(message, here);
    running.set(message.id, call);
    strays.giveTo(call);
    if (!running.has(message.id)) return;
    void current.run(call, () =>
      answer(call, here).catch((error: unknown) => call.fail(`The app did not answer: ${messageOf(error)}`)),
    );
  });
  strays.loaded();
  send({ kind: "ready", facts: factsOf(app) });
}

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function close(app: AppRuntime): Promise<void> {
  try {
    await app.end();
    send({ kind: "closed" });
  } catch (error) {
    send({ kind: "closed", problem: `A provider was not disposed: ${String(error)}` });
  }
}

function factsOf(app: AppRuntime): AppFacts {
  const events = app.describe().map(({ event, onFailure, deadlineMs }) => [event, { onFailure, deadlineMs }] as const);
  const { log } = app.options;
  return {
    onFailure: app.modeFor("", undefined),
    log: typeof log === "object" || log === false ? log : {},
    events: Object.fromEntries(events),
    handlers: app.handlers().map(({ event, name }) => ({ event, name })),
  };
}

/** In characters. The head of an answer has room for more than this many of any size. */
const mostPrinted = 16 * 2 ** 20;

type RunningCall = ReturnType<typeof beginCall>;

/** A call while it runs. */
function beginCall(message: CallMessage, { app, data, done }: WorkerState) {
  const prints: string[] = [];
  let room = mostPrinted;
  const mode = () => app.modeFor(eventFacts(message.asked.text).event || undefined, message.asked.onFailure);
  const note = (why: string) => {
    const record = { time: new Date().toISOString(), event: eventFacts(message.asked.text).event, failed: why };
    appendLog({ ...record, ...aboutCall(message, data) }, process.env, () => undefined, app.options.log);
  };
  let isAnswered = false;
  const reply = (answer: WorkerAnswer) => {
    isAnswered = true;
    const stderr = prints.length === 0 ? answer.stderr : prints.join("") + answer.stderr;
    send({ kind: "answer", id: message.id, answer: { ...answer, stderr } });
  };
  return {
    message,
    reply,
    /** A failure after the answer cannot change it. */
    get isAnswered() {
      return isAnswered;
    },
    /** What handlers print and complain about goes back with the answer, as if they had a process of their own. */
    prints,
    /** Keeps what handlers print, up to a limit. */
    print(text: string): void {
      if (room >= 0) prints.push(text.length <= room ? text : `${text.slice(0, room)}${cutNote}`);
      room -= text.length;
    },
    abort: lazy(() => new AbortController()),
    /** Whether a failure that does not settle the call refuses. */
    blocks: (): boolean => mode() === "block",
    /** Settles it as a failure of the app. */
    fail(why: string): void {
      if (!done(message.id)) return;
      reply(failedAnswer(message.asked, mode(), why));
      note(why);
    },
    /** Reports a failure that does not settle the call. After the answer only the log has it. */
    report(why: string): void {
      prints.push(`hookline: ${why}\n`);
      if (app.options.log !== false) note(why);
    },
  };
}

async function answer(call: RunningCall, here: WorkerState): Promise<void> {
  const { app, data, done, running } = here;
  const { message, prints } = call;
  const payload = readPayload(message.asked.text);
  if ("fault" in payload) {
    done(message.id);
    const why = `The event for ${data.file} cannot be read: ${payload.fault}.`;
    const failed = workerAnswer(appFailure(why, app.modeFor(undefined, message.asked.onFailure)));
    return call.reply({ ...failed, unreadable: true });
  }
  const records: LogRecord[] = [];
  const complain = (line: string) => void prints.push(`hookline: ${line}\n`);
  const { asked } = message;
  const given = {
    ...{ cwd: asked.cwd ?? data.cwd, file: data.file, onFailure: asked.onFailure, complain },
    get env() {
      return callEnvironment(asked);
    },
    get signal() {
      return call.abort().signal;
    },
  };
  const settled = await app.dispatch(payload.value, runEnvironment(app, given, records));
  // As in `run`: a promise that is rejected by now is reported in this turn of the event loop, and before the answer. An http answer has
  // no stderr, so there only a refusal is worth the wait; the log has the report in any case.
  if (asked.transport !== "http" || call.blocks()) await new Promise(setImmediate);
  if (running.has(message.id)) {
    call.reply(workerAnswer(settled));
    for (const record of records) {
      appendLog({ ...record, ...aboutCall(message, data) }, process.env, complain, app.options.log);
    }
  }
  await settled.dispose().catch((error: unknown) => complain(`A provider was not disposed: ${String(error)}`));
  done(message.id);
}

function aboutCall({ asked: { transport }, again }: CallMessage, { sourceHash }: WorkerInput) {
  return { transport, source: sourceHash, ...(again ? { rerun: true } : {}) };
}

/** As in `hookline run`, nothing that a handler does ends the chain without an answer. */
function guardWorker(current: AsyncLocalStorage<RunningCall>, strays: StrayFailures): void {
  guardExit(() => true);
  const print = (chunk: unknown, ...rest: unknown[]): boolean => {
    current.getStore()?.print(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  };
  process.stdout.write = print;
  process.stderr.write = print;
  const onFailure = (what: string, settles: (call: RunningCall) => boolean) => (error: unknown) => {
    const failure: StrayFailure = (cwd) => `${what} in a hook: ${errorWithLocation(error, cwd)}`;
    const call = current.getStore();
    if (call === undefined) return strays.add(failure);
    const isOpen = !call.isAnswered;
    if (isOpen && settles(call)) return call.fail(failure(call.message.asked.cwd));
    call.report(failure(call.message.asked.cwd));
    if (!isOpen && settles(call)) strays.add(failure);
  };
  process.on(
    "uncaughtException",
    onFailure("Uncaught exception", () => true),
  );
  process.on(
    "unhandledRejection",
    onFailure("Unhandled rejection", (call) => call.blocks()),
  );
}
