import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { SettledEvent } from "../run/dispatch-event.ts";
import type { TaskTable } from "../tasks/task.ts";
import type { AppOptions } from "./app-definition.ts";
import type { WirePayload } from "./hook-event.ts";
import type { Observer } from "./observers.ts";
import type { FailureMode } from "./registration.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** An app is known by this, not by its class: two copies of the package in one tree understand each other. */
export const appSymbol: unique symbol = Symbol.for("hookline.app") as never;

/** What a program that runs an app may ask of it. Grows, never changes. */
export interface AppRuntime {
  dispatch(payload: WirePayload, world: RunEnvironment): Promise<SettledEvent>;
  /** What `install` writes into settings. */
  describe(): readonly HandledEvent[];
  /** The strictest mode for an event, or for all of them, for failures outside handlers. */
  modeFor(event: string | undefined, given?: FailureMode): FailureMode;
  /** Every handler by its name, in the order of registration; absent in older copies of the package. */
  handlers?(): readonly { readonly event: string; readonly name: string }[];
  readonly options: AppOptions;
  /** Absent in older copies of the package. */
  readonly tasks?: TaskTable;
  /** Ends what providers made for longer than an event; absent in older copies of the package. */
  end?(): Promise<void>;
  /** Watches as `app.observe` does; absent in older copies of the package. */
  observe?(observer: Observer): void;
}

export interface HandledEvent {
  readonly event: string;
  readonly ids: readonly string[];
  readonly onFailure: FailureMode;
  readonly deadlineMs: number;
}

/** The inside of an app; undefined when the value is none. */
export function appRuntime(value: unknown): AppRuntime | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [appSymbol]?: AppRuntime })[appSymbol];
}

/**
 * What an app is called wherever a path would be too long or too telling: in an URL, in a folder's name.
 * Contract: it is derived from the real path of the hooks file, so two names of one file have one key; a removed file keeps its key.
 */
export function appKey(file: string): string {
  // Not imported: a hook process loads this module and needs no hash.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256")
    .update(realPathOf(resolve(file)))
    .digest("hex")
    .slice(0, 32);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (dirname(path) === path) throw error;
    return join(realPathOf(dirname(path)), basename(path)); // removed: the part of the path that exists counts
  }
}
