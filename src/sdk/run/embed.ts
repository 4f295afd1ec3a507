import type { ServeAppOptions, ServedApp } from "../../daemon/internal.ts";
import { requireApp } from "../app/app-runtime.ts";
import { checkOptions, requireOptions, type ValueCheck } from "../app/argument-checks.ts";
import type { WorkTasksOptions } from "../tasks/work-tasks.ts";
import type { RunAppOptions } from "./run-app.ts";

export type { ServeAppOptions, ServedApp } from "../../daemon/internal.ts";

const runOptions: readonly (keyof RunAppOptions)[] = [
  "input",
  "output",
  "errors",
  "env",
  "cwd",
  "file",
  "onFailure",
  "signal",
  "silenceMs",
];

const serveOptions: readonly (keyof ServeAppOptions)[] = ["port", "token", "file", "env", "cwd", "signal", "complain"];

const workOptions: readonly (keyof WorkTasksOptions)[] = [
  ...(["file", "env", "signal", "backend", "idleMs", "jobs"] as const),
  ...(["pollMs", "outdated", "log", "complain"] as const),
];

/**
 * `hookline run` inside your own program: reads one event, writes its answer, and returns the exit status. Options default to
 * the process's own; with the process's own output it also sets `process.exitCode`, because some refusals are only an exit status.
 * Contract: failures of handlers and input become answers, by the failure mode. It rejects for a value that is not an app.
 */
export async function runApp(app: unknown, options: RunAppOptions = {}): Promise<number> {
  const runtime = requireApp(app, "runApp", runApp);
  checkOptions(options, runOptions, "runApp");
  return (await import("./run-app.ts")).runApp(runtime, options);
}

/**
 * `hookline serve` for an app inside your own program: this process answers http entries, on 127.0.0.1 only and with the same access
 * checks. Handlers run on the calling thread: one that blocks it blocks every call. There is no hot reload.
 */
export async function serveApp(app: unknown, options: ServeAppOptions = {}): Promise<ServedApp> {
  const runtime = requireApp(app, "serveApp", serveApp);
  checkOptions(options, serveOptions, "serveApp");
  const { serveInProcess } = await import("../../daemon/internal.ts");
  return serveInProcess(runtime, options);
}

/**
 * Runs an app's tasks until the signal aborts or, with `idleMs`, after that long without work. Every process that has the app may call
 * it: one worker at a time serves the queue of a hooks file, and the next one takes over when it ends.
 */
export async function workTasks(app: unknown, options: WorkTasksOptions): Promise<void> {
  const runtime = requireApp(app, "workTasks", workTasks);
  const log: ValueCheck = [["log"], "a function", (value) => typeof value === "function"];
  checkOptions(options, workOptions, "workTasks", { own: [log] });
  requireOptions(options, ["file", "env", "signal"], "workTasks");
  return (await import("../tasks/work-tasks.ts")).workTasks(runtime, options);
}
