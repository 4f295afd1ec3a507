import { AsyncLocalStorage } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../protocol/internal.ts";
import {
  type AppRuntime,
  answerWithoutHandlers,
  appFailure,
  endBuilds,
  errorWithLocation,
  type FailureMode,
  guardExit,
  type LogRecord,
  loadApp,
  openLog,
  openTranscript,
  type RunEnvironment,
  readPayload,
  type WireAnswer,
} from "../../sdk/internal.ts";
import { environmentOf } from "../server/client-call.ts";
import {
  type AppFacts,
  answerOf,
  type CallMessage,
  claim,
  type FromThread,
  type ThreadData,
  type ToThread,
} from "./messages.ts";

/** What all calls of a thread share. */
interface Here {
  readonly app: AppRuntime;
  readonly data: ThreadData;
  readonly log: ReturnType<typeof openLog>;
  /** Nothing is left to do for a call. Contract: true for the first who says so. */
  readonly done: (id: number) => boolean;
  /** Whether a call has no answer yet, or still has something to write or to end. */
  readonly isOpen: (id: number) => boolean;
}

/** The body of the thread that runs handlers. It loads the app once and answers calls until it is ended. */
export async function answerCalls(): Promise<void> {
  const data = workerData as ThreadData;
  const claims = new Int32Array(data.claims);
  const running = new Map<number, Running>();
  const current = new AsyncLocalStorage<Running>();
  guardThread(current);
  let app: AppRuntime;
  try {
    app = await loadApp(data.file, { env: process.env, cwd: data.cwd });
    await endBuilds();
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
  const here: Here = {
    ...{ app, data, done },
    isOpen: (id) => running.has(id),
    log: openLog(process.env, typeof log === "object" ? log : {}),
  };
  parentPort?.on("message", (message: ToThread) => {
    if ("abort" in message) return running.get(message.abort)?.abort().abort(new Error(message.why));
    if ("close" in message) {
      closing = true;
      // An answered call may still have a line of the log to write and providers to end.
      return running.size === 0 ? void close(app) : undefined;
    }
    if (Atomics.compareExchange(claims, message.slot, claim.open, claim.taken) !== claim.open) {
      return send({ kind: "passed-over", slot: message.slot });
    }
    const call = begin(message, here);
    running.set(message.id, call);
    void current.run(call, () =>
      answer(call, here).catch((error: unknown) => call.fail(`The app gave no answer: ${messageOf(error)}`)),
    );
  });
  send({ kind: "ready", facts: factsOf(app) });
}

function send(message: FromThread): void {
  parentPort?.postMessage(message);
}

async function close(app: AppRuntime): Promise<void> {
  try {
    await app.end?.();
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

function begin(message: CallMessage, { app, data, log, done }: Here): Running {
  let controller: AbortController | undefined;
  const prints: string[] = [];
  const note = (why: string) => {
    const record = { time: new Date().toISOString(), event: eventOf(message) ?? "", failed: why };
    log({ ...record, ...aboutCall(message, data) }, () => undefined);
  };
  return {
    message,
    prints,
    abort: () => {
      controller ??= new AbortController();
      return controller;
    },
    blocks: () => app.modeFor(eventOf(message), message.asked.onFailure) === "block",
    fail(why) {
      if (!done(message.id)) return;
      const event = eventOf(message);
      const mode = app.modeFor(event, message.asked.onFailure);
      const payload = readPayload(message.asked.text);
      // A process says it by its status; an http answer in the event's own words.
      const byWords = message.asked.transport === "http" && "value" in payload;
      reply(
        message,
        byWords
          ? answerWithoutHandlers(payload.value, mode, why)
          : appFailure(why, mode, "value" in payload ? payload.value : undefined),
        prints,
      );
      note(why);
    },
    tell(why) {
      prints.push(`hookline: ${why}\n`);
      if (app.options.log !== false) note(why);
    },
  };
}

function eventOf({ asked: { text } }: CallMessage): string | undefined {
  const payload = readPayload(text);
  return "value" in payload ? String(payload.value["hook_event_name"]) : undefined;
}

async function answer(call: Running, here: Here): Promise<void> {
  const { app, data, log, done, isOpen } = here;
  const { message, prints } = call;
  const payload = readPayload(message.asked.text);
  if ("fault" in payload) {
    done(message.id);
    const why = `The event for ${data.file} cannot be read: ${payload.fault}.`;
    const said = answerOf(appFailure(why, app.modeFor(undefined, message.asked.onFailure)));
    return send({ kind: "answer", id: message.id, answer: { ...said, unreadable: true } });
  }
  const records: LogRecord[] = [];
  const complain = (line: string) => void prints.push(`hookline: ${line}\n`);
  const world = new WorldOfCall(call, here, records, complain);
  const settled = await app.dispatch(payload.value, world);
  // As in `run`: a promise that is rejected by now is reported in this turn of the event loop, and before the answer. An http answer has
  // no stderr, so there only a refusal is worth the wait; the log has the report in any case.
  if (message.asked.transport !== "http" || call.blocks()) await new Promise(setImmediate);
  if (isOpen(message.id)) {
    reply(message, settled, prints);
    for (const record of records) {
      log({ ...record, ...aboutCall(message, data) }, complain);
    }
  }
  await settled.dispose().catch((error: unknown) => complain(`A provider was not disposed: ${String(error)}`));
  done(message.id);
}

function reply({ id }: CallMessage, { exitCode, stdout, stderr, wire }: WireAnswer, prints: readonly string[]): void {
  const all = prints.length === 0 ? stderr : prints.join("") + stderr;
  send({ kind: "answer", id, answer: { exitCode, stdout, stderr: all, json: wire !== undefined } });
}

function aboutCall({ asked: { transport }, again }: CallMessage, { sourceHash }: ThreadData) {
  return { transport, source: sourceHash, ...(again ? { rerun: true } : {}) };
}

/** What a handler can ask for. Most do not; a class, because getters that are made for each call cost more than all they give. */
class WorldOfCall implements RunEnvironment {
  readonly cwd: string;
  readonly file: string;
  readonly replay = false;
  readonly now: () => number = Date.now;
  readonly openTranscript = openTranscript;
  readonly log?: (record: LogRecord) => void;
  readonly complain: (line: string) => void;
  readonly onFailure?: FailureMode;
  readonly #call: Running;
  #env: RunEnvironment["env"] | undefined;

  constructor(call: Running, { app, data }: Here, records: LogRecord[], complain: (line: string) => void) {
    const { cwd, onFailure } = call.message.asked;
    this.#call = call;
    this.cwd = cwd ?? data.cwd;
    this.file = data.file;
    this.complain = complain;
    if (app.options.log !== false) this.log = (record) => void records.push(record);
    if (onFailure !== undefined) this.onFailure = onFailure;
  }

  /** Taken apart only for those who look. */
  get env(): RunEnvironment["env"] {
    if (this.#env !== undefined) return this.#env;
    const { env, envOf } = this.#call.message.asked;
    const block = env ?? (envOf > 0 ? environmentOf(envOf) : undefined);
    this.#env = block === undefined ? process.env : readEnv(block);
    return this.#env;
  }

  get signal(): AbortSignal {
    return this.#call.abort().signal;
  }
}

/** A shell cannot hold NUL; it ends entries with the character after it. */
function readEnv(block: string): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const entry of block.split(block.includes("\0") ? "\0" : "\x01")) {
    const at = entry.indexOf("=", 1);
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
  return env;
}

/** A call while it runs. */
interface Running {
  readonly message: CallMessage;
  readonly abort: () => AbortController;
  /** What handlers print and complain about goes back with the answer, as if they had a process of their own. */
  readonly prints: string[];
  /** Settles it as a failure of the app. */
  readonly fail: (message: string) => void;
  /** Tells of a failure that settles nothing. */
  readonly tell: (message: string) => void;
  /** Whether such a failure refuses. */
  readonly blocks: () => boolean;
}

/** The same promises that `hookline run` gives an app: no way out of a handler ends the chain without an answer. */
function guardThread(current: AsyncLocalStorage<Running>): void {
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
    call?.fail(`Uncaught exception in a hook: ${errorWithLocation(error, call.message.asked.cwd)}`);
  });
  process.on("unhandledRejection", (reason) => {
    const call = current.getStore();
    const message = `Unhandled rejection in a hook: ${errorWithLocation(reason, call?.message.asked.cwd)}`;
    if (call?.blocks()) call.fail(message);
    else call?.tell(message);
  });
}
