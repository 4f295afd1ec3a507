import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { sha256 } from "../../files/internal.ts";
import type { AppWarning } from "../answer/accept-answers.ts";
import type { FailureMode } from "../answer/event-rules.ts";
import type { FoldedAnswer } from "../answer/fold-answers.ts";
import type { WireAnswer } from "../answer/wire-answer.ts";
import type { HandlerTrace } from "../log/log-record.ts";
import type { TaskTable } from "../tasks/task.ts";
import type { AppOptions } from "./app-definition.ts";
import { sdkProblem } from "./argument-checks.ts";
import type { WirePayload } from "./hook-event.ts";
import type { Observer } from "./observers.ts";
import type { Registration } from "./registration.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** Identifies an app. A symbol, not a class, so that an app of another copy of the package works too. */
export const appSymbol: unique symbol = Symbol.for("hookline.app") as never;

/** The interface of an app for the program that runs it. */
export interface AppRuntime {
  dispatch(payload: WirePayload, environment: RunEnvironment): Promise<SettledEvent>;
  /** The events with handlers, as `install` writes them into settings. */
  describe(): readonly HandledEvent[];
  /** The strictest mode for an event, or for all of them, for failures outside handlers. */
  modeFor(event: string | undefined, given?: FailureMode): FailureMode;
  /** Every handler by its name, in the order of registration, with the names or patterns it is registered for. */
  handlers(): readonly Pick<Registration, "event" | "name" | "what">[];
  /** The members of the context: its own, and those that the app provides. */
  contextNames(): readonly string[];
  readonly options: AppOptions;
  readonly tasks: TaskTable;
  /** Disposes the values of providers that outlive an event. */
  end(): Promise<void>;
  /** Adds an observer, as `app.observe` does. */
  observe(observer: Observer): void;
}

/** The answer of an app to one event, with everything that the log, tests and the daemon need. */
export interface SettledEvent extends WireAnswer {
  readonly event: string;
  readonly folded: FoldedAnswer;
  readonly warnings: readonly AppWarning[];
  readonly trace: readonly HandlerTrace[];
  /** Disposes the providers' values of this event. Contract: called after the answer is written. */
  readonly dispose: () => Promise<void>;
}

/** What an app says about one of its events. */
export interface HandledEvent {
  readonly event: string;
  readonly ids: readonly string[];
  readonly onFailure: FailureMode;
  readonly deadlineMs: number;
}

/** Undefined when the value is not an app. */
export function appRuntime(value: unknown): AppRuntime | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [appSymbol]?: AppRuntime })[appSymbol];
}

/** The app that a call of the author got. Throws for any other value. */
export function requireApp(value: unknown, of: string, caller: (app: unknown, options: never) => unknown): AppRuntime {
  const runtime = appRuntime(value);
  if (runtime !== undefined) return runtime;
  const message = `${of} needs the value of createApp(). A hooks file ends with "export default app;".`;
  const problem = sdkProblem("no-app", message);
  // Node prints the line of the innermost frame. That is the author's call, not minified code of this package.
  Error.captureStackTrace(problem, caller);
  throw problem;
}

/**
 * Identifies an app in URLs and folder names, where its path would be too long or reveal too much.
 * Contract: derived from the real path of the hooks file, so two paths to one file have the same key. A removed file keeps its key.
 */
export function appKey(file: string): string {
  return sha256(realPathOf(resolve(file))).slice(0, 32);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (dirname(path) === path) throw error;
    return join(realPathOf(dirname(path)), basename(path)); // removed: resolve the part of the path that exists
  }
}
