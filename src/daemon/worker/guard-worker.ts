import type { AsyncLocalStorage } from "node:async_hooks";
import { guardEnds, tracedMessage } from "../../sdk/internal.ts";
import type { CallMessage } from "./messages.ts";

/** A call while it runs. */
export interface Running {
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
export function guardThread(current: AsyncLocalStorage<Running>): void {
  guardEnds(() => true);
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
    call?.fail(`Uncaught exception in a hook: ${tracedMessage(error, call.message.asked.cwd)}`);
  });
  process.on("unhandledRejection", (reason) => {
    const call = current.getStore();
    const message = `Unhandled rejection in a hook: ${tracedMessage(reason, call?.message.asked.cwd)}`;
    if (call?.blocks()) call.fail(message);
    else call?.tell(message);
  });
}
