import { Worker } from "node:worker_threads";
import { messageOf } from "../../protocol/internal.ts";
import {
  type AppFacts,
  type CallMessage,
  type FromWorker,
  type HookRequest,
  slotState,
  type ToWorker,
  type WorkerAnswer,
  type WorkerInput,
} from "./messages.ts";

/** How a call ended. */
export type CallEnd =
  | { readonly kind: "answer"; readonly answer: WorkerAnswer }
  /** The thread never got to it: another one may have it. */
  | { readonly kind: "untouched" }
  /** It had begun when the thread was ended for another call's sake. */
  | { readonly kind: "interrupted" }
  /** It had begun when the thread crashed; `alone`: no other call can have caused it. */
  | { readonly kind: "fell"; readonly alone: boolean; readonly why: string }
  /** It is the one that held the thread past its deadline. */
  | { readonly kind: "late"; readonly afterMs: number };

export interface WorkerCall extends Pick<CallMessage, "again"> {
  /** Asked for only when it has taken a while. */
  readonly deadlineMs: () => number;
}

export type WorkerThread = ReturnType<typeof connectWorker>;

export interface WorkerThreadOptions extends Omit<WorkerInput, "claims"> {
  /** The module that calls `runWorker`. */
  readonly module: URL;
}

const slots = 1_024;
const tickMs = 100;
/** A thread that has not taken up a call by then counts as stuck. */
const heldAfterMs = 300;
/** Handlers that wait are ended by the thread itself; only one that holds it needs us. */
const graceMs = 400;
/** One provider has two seconds to dispose its values. */
const closeMs = 2_500;
/** A thread that is not ready by then is terminated. */
const readyMs = 12_000;

/** Starts a thread that runs an app. Contract: resolves once it is ready; a text says why it is not. */
export function startWorkerThread(options: WorkerThreadOptions): Promise<WorkerThread | string> {
  const { module, file, cwd, sourceHash } = options;
  const claims = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
  let worker: Worker;
  try {
    worker = new Worker(module, { workerData: { file, cwd, sourceHash, claims } satisfies WorkerInput, stdin: false });
  } catch (error) {
    return Promise.resolve(`No thread can be started for ${file}: ${String(error)}`);
  }
  return new Promise((resolve) => {
    const give = (found: WorkerThread | string) => {
      clearTimeout(timer);
      if (typeof found === "string") void worker.terminate();
      resolve(found);
    };
    const late = `${file} does not load: it took longer than ${readyMs / 1000} s.`;
    const timer = setTimeout(() => give(late), readyMs);
    const fell = (error: Error) => give(`${file} does not load: ${error.message}`);
    const ended = () => give(`${file} does not load: its thread ended.`);
    const first = (message: FromWorker) => {
      worker.off("error", fell).off("exit", ended);
      if (message.kind === "ready") give(connectWorker(worker, new Int32Array(claims), message.facts));
      else give(message.kind === "no-load" ? message.message : late);
    };
    worker.once("error", fell).once("exit", ended).once("message", first);
  });
}

interface Open {
  readonly slot: number;
  readonly postedAt: number;
  readonly deadlineMs: () => number;
  readonly end: (end: CallEnd) => void;
}

function connectWorker(worker: Worker, claims: Int32Array, facts: AppFacts) {
  const calls = new Map<number, Open>();
  const free = Array.from({ length: slots }, (_, slot) => slot);
  const state = { held: false, ended: false };
  let nextId = 0;
  let ticking: NodeJS.Timeout | undefined;
  let closed: ((problem?: string) => void) | undefined;

  const releaseSlot = (slot: number) => {
    Atomics.store(claims, slot, slotState.open);
    free.push(slot);
  };
  const settle = (id: number, end: CallEnd) => {
    const call = calls.get(id);
    if (call === undefined) return;
    calls.delete(id);
    // A withdrawn call is still in the thread's queue; its slot is not reused before the thread reaches it.
    if (end.kind === "answer") releaseSlot(call.slot);
    call.end(end);
  };
  const endThread = (begunEnd: (id: number) => CallEnd = () => ({ kind: "interrupted" })) => {
    state.ended = true;
    clearInterval(ticking);
    for (const [id, { slot }] of calls) settle(id, isOpen(claims, slot) ? { kind: "untouched" } : begunEnd(id));
    void worker.terminate();
    closed?.();
  };
  const fell = (why: string) => {
    const alone = [...calls.values()].filter(({ slot }) => !isOpen(claims, slot)).length === 1;
    endThread(() => ({ kind: "fell", alone, why }));
  };
  const tick = () => {
    if (calls.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
      return;
    }
    const now = performance.now();
    for (const [id, call] of calls) {
      const age = now - call.postedAt;
      if (age > heldAfterMs && isOpen(claims, call.slot)) {
        state.held = true;
        if (withdraw(claims, call.slot)) settle(id, { kind: "untouched" });
      } else if (age > call.deadlineMs() + graceMs) {
        const late = { kind: "late", afterMs: call.deadlineMs() } as const;
        return endThread((other) => (other === id ? late : { kind: "interrupted" }));
      }
    }
  };

  worker.on("message", (message: FromWorker) => {
    state.held = false;
    if (message.kind === "answer") settle(message.id, { kind: "answer", answer: message.answer });
    if (message.kind === "passed-over") releaseSlot(message.slot);
    if (message.kind === "closed") {
      closed?.(message.problem);
      endThread();
    }
  });
  worker.on("error", (error) => fell(`: ${messageOf(error)}`)).on("exit", () => fell(""));
  const post = (message: ToWorker) => worker.postMessage(message);

  return {
    facts,
    /** Calls that have no end yet. */
    get open(): number {
      return calls.size;
    },
    /** It has not taken up a call for a while: something holds it. */
    get isStuck(): boolean {
      return state.held || free.length === 0;
    },
    get ended(): boolean {
      return state.ended;
    },
    /** At once, whatever it does. */
    end: (): void => endThread(),
    /** Takes no more calls, and ends when the app has disposed what it holds, or after a time limit. Returns what went wrong. */
    close(): Promise<string | undefined> {
      if (state.ended) return Promise.resolve(undefined);
      state.ended = true;
      return new Promise((resolve) => {
        const late = setTimeout(() => {
          closed?.(`The app did not release its resources within ${closeMs} ms.`);
          endThread();
        }, closeMs);
        closed = (problem) => {
          clearTimeout(late);
          resolve(problem);
        };
        post({ close: true });
      });
    },
    call(asked: HookRequest, { again, deadlineMs }: WorkerCall, gone: AbortSignal): Promise<CallEnd> {
      const slot = free.pop();
      if (slot === undefined || state.ended) return Promise.resolve({ kind: "untouched" });
      const id = nextId++;
      return new Promise((resolve) => {
        calls.set(id, { slot, postedAt: performance.now(), deadlineMs, end: resolve });
        post({ id, slot, asked, again });
        ticking ??= setInterval(tick, tickMs);
        const abort = () => calls.has(id) && post({ abort: id, why: messageOf(gone.reason) });
        if (gone.aborted) abort();
        else gone.addEventListener("abort", abort, { once: true });
      });
    },
  };
}

function isOpen(claims: Int32Array, slot: number): boolean {
  return Atomics.load(claims, slot) === slotState.open;
}

function withdraw(claims: Int32Array, slot: number): boolean {
  return Atomics.compareExchange(claims, slot, slotState.open, slotState.withdrawn) === slotState.open;
}
