import type { RunAppOptions } from "./run-app.ts";

/**
 * `hookline run` for an app that a program of yours holds: reads one event, writes its answer, and gives the exit status. What is not
 * told is the process's own; then `process.exitCode` is set too, because some refusals are told by it alone.
 * Contract: whatever handlers and input do is told in the answer, by the failure mode. It rejects for what is no app.
 */
export async function runApp(app: unknown, options: RunAppOptions = {}): Promise<number> {
  return (await import("./run-app.ts")).runApp(app, options);
}
