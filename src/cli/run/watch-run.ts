import { closeSync } from "node:fs";
import { attempt } from "../../protocol/internal.ts";
import { type AppRuntime, defaultDeadline, lineForLog, startWatchdog, type Watchdog } from "../../sdk/internal.ts";
import { eventOf, failureOf, type RunState } from "./run-state.ts";
import { warn } from "./stdout.ts";

/** Reports a failure of the whole app and ends the process; `then` runs just before the exit. */
export type FailRun = (message: string, then?: () => void) => never;

/** Fails the run when a handler blocks the event loop past its deadline. Returns a function that stops the watchdog. */
export function watchHandlers(app: AppRuntime, state: RunState, fail: FailRun): () => void {
  const event = eventOf(state) ?? "";
  const ms = app.describe().find((one) => one.event === event)?.deadlineMs ?? defaultDeadline(event);
  let handler = "middleware";
  const message = () => `Hook ${handler} failed on ${event}: it blocked the event loop for longer than ${ms} ms`;
  const watchdog = watch(Math.max(0, ms - state.call.spentMs), message, state, fail);
  app.observe?.((event) => {
    if (event.kind !== "handler-start" || event.handler === undefined) return;
    handler = event.handler;
    watchdog.update();
  });
  return watchdog.stop;
}

/** Fails the run with this message when it blocks the event loop for longer than `ms`. */
export function watch(ms: number, message: () => string, state: RunState, fail: FailRun): Watchdog {
  const onLate = () => fail(message(), beforeExit);
  const failure = () => {
    const { stdout, stderr, exitCode, record } = failureOf(message(), state);
    const log = state.app?.options.log === false ? [] : [lineForLog(record, process.env)];
    return { texts: [[2, stderr], [1, stdout], ...log], exitCode } as const;
  };
  return startWatchdog({ ms, onLate, failure, warn });
}

/** Ends the process when the end of a provider, a thread or an `exit` listener keeps it running after the answer. */
export function watchEnd(state: RunState, exitCode: number): void {
  const onLate = () => {
    beforeExit();
    watchEnd(state, exitCode);
    state.exit(exitCode);
  };
  startWatchdog({ ms: endMs, onLate, failure: () => ({ texts: [], exitCode }), warn });
}

/** Longer than two providers may take to end. */
const endMs = 5_000;

/** Node prints a message about the debugger on stderr, which the model reads. A listener could block once more, and a second interrupt fails. */
function beforeExit(): void {
  attempt(() => closeSync(2)); // it fails when it is closed already
  process.removeAllListeners("exit");
}
