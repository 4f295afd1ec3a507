import { AsyncLocalStorage } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../protocol/internal.ts";
import {
  type AppRuntime,
  appFailure,
  endBuilds,
  errorWithLocation,
  guardExit,
  type LogRecord,
  type LogWriter,
  loadApp,
  openLog,
  readPayload,
} from "../../sdk/internal.ts";
import { CallEnvironment } from "./call-environment.ts";
import {
  type AppFacts,
  type CallMessage,
  eventFacts,
  type FromWorker,
  failedAnswer,
  slotState,
  type ToWorker,
  type WorkerAnswer,
  type WorkerInput,
  workerAnswer,
} from "./messages.ts";

/** What all calls of a thread share. */
interface WorkerState {
  readonly app: AppRuntime;
  readonly data: WorkerInput;
  readonly log: LogWriter;
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
  const { log } = app.options;
  const here: WorkerState = {
    ...{ app, data, done, running },
    log: openLog(process.env, typeof log === "object" ? log : {}),
  };
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
  };
}

type RunningCall = ReturnType<typeof beginCall>;

/** A call while it runs. */
function beginCall(message: CallMessage, { app, data, log, done }: Omit<WorkerState, "running">) {
  let controller: AbortController | undefined;
  const prints: string[] = [];
  const mode = () => app.modeFor(eventFacts(message.asked.text).event || undefined, message.asked.onFailure);
  const note = (why: string) => {
    const record = { time: new Date().toISOString(), event: eventFacts(message.asked.text).event, failed: why };
    log({ ...record, ...aboutCall(message, data) }, () => undefined);
  };
  return {
    message,
    /** What handlers print and complain about goes back with the answer, as if they had a process of their own. */
    prints,
    abort: (): AbortController => {
      controller ??= new AbortController();
      return controller;
    },
    /** Whether a failure that does not settle the call refuses. */
    blocks: (): boolean => mode() === "block",
    /** Settles it as a failure of the app. */
    fail(why: string): void {
      if (!done(message.id)) return;
      reply(message, failedAnswer(message.asked, mode(), why), prints);
      note(why);
    },
    /** Reports a failure that does not settle the call. */
    report(why: string): void {
      prints.push(`hookline: ${why}\n`);
      if (app.options.log !== false) note(why);
    },
  };
}

async function answer(call: RunningCall, here: WorkerState): Promise<void> {
  const { app, data, log, done, running } = here;
  const { message, prints } = call;
  const payload = readPayload(message.asked.text);
  if ("fault" in payload) {
    done(message.id);
    const why = `The event for ${data.file} cannot be read: ${payload.fault}.`;
    const failed = workerAnswer(appFailure(why, app.modeFor(undefined, message.asked.onFailure)));
    return send({ kind: "answer", id: message.id, answer: { ...failed, unreadable: true } });
  }
  const records: LogRecord[] = [];
  const complain = (line: string) => void prints.push(`hookline: ${line}\n`);
  const logged = app.options.log === false ? undefined : records;
  const world = new CallEnvironment(message.asked, data, call.abort, complain, logged);
  const settled = await app.dispatch(payload.value, world);
  // As in `run`: a promise that is rejected by now is reported in this turn of the event loop, and before the answer. An http answer has
  // no stderr, so there only a refusal is worth the wait; the log has the report in any case.
  if (message.asked.transport !== "http" || call.blocks()) await new Promise(setImmediate);
  if (running.has(message.id)) {
    reply(message, workerAnswer(settled), prints);
    for (const record of records) log({ ...record, ...aboutCall(message, data) }, complain);
  }
  await settled.dispose().catch((error: unknown) => complain(`A provider was not disposed: ${String(error)}`));
  done(message.id);
}

function reply({ id }: CallMessage, answer: WorkerAnswer, prints: readonly string[]): void {
  const stderr = prints.length === 0 ? answer.stderr : prints.join("") + answer.stderr;
  send({ kind: "answer", id, answer: { ...answer, stderr } });
}

function aboutCall({ asked: { transport }, again }: CallMessage, { sourceHash }: WorkerInput) {
  return { transport, source: sourceHash, ...(again ? { rerun: true } : {}) };
}

/** The text of a failure, with paths relative to the directory of the call that gets it. */
type Failure = (cwd: string | undefined) => string;

type StrayFailures = ReturnType<typeof openStrayFailures>;

/**
 * Failures that belong to no call, such as those of a timer that the file starts when it loads. Each running call gets them: any may
 * depend on what failed. Without one, the next call does. Failures of the load are for all calls: `run` has them at every start.
 */
function openStrayFailures(running: ReadonlyMap<number, RunningCall>) {
  let isLoaded = false;
  let atLoad: Failure | undefined;
  let kept: Failure | undefined;
  const give = (call: RunningCall, failure: Failure) => {
    const why = failure(call.message.asked.cwd);
    if (call.blocks()) call.fail(why);
    else call.report(why);
  };
  return {
    add(failure: Failure): void {
      if (!isLoaded) atLoad ??= failure;
      else if (running.size === 0) kept ??= failure;
      else for (const call of [...running.values()]) give(call, failure);
    },
    loaded(): void {
      isLoaded = true;
    },
    giveTo(call: RunningCall): void {
      const failure = atLoad ?? kept;
      kept = undefined;
      if (failure !== undefined) give(call, failure);
    },
  };
}

/** As in `hookline run`, nothing that a handler does ends the chain without an answer. */
function guardWorker(current: AsyncLocalStorage<RunningCall>, strays: StrayFailures): void {
  guardExit(() => true);
  const print = (chunk: unknown, ...rest: unknown[]): boolean => {
    current.getStore()?.prints.push(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString());
    const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  };
  process.stdout.write = print;
  process.stderr.write = print;
  process.on("uncaughtException", (error) => {
    const call = current.getStore();
    const failure: Failure = (cwd) => `Uncaught exception in a hook: ${errorWithLocation(error, cwd)}`;
    if (call === undefined) strays.add(failure);
    else call.fail(failure(call.message.asked.cwd));
  });
  process.on("unhandledRejection", (reason) => {
    const call = current.getStore();
    const failure: Failure = (cwd) => `Unhandled rejection in a hook: ${errorWithLocation(reason, cwd)}`;
    if (call === undefined) strays.add(failure);
    else if (call.blocks()) call.fail(failure(call.message.asked.cwd));
    else call.report(failure(call.message.asked.cwd));
  });
}
