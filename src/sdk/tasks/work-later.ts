import type { AppInside } from "../app/app-runtime.ts";
import type { WorkTasksOptions } from "./work-tasks.ts";

/** Whether a worker has jobs of this hooks file in hand, of whatever session. Jobs that nobody works on do not count. */
export async function hasOpenJobs(file: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  return (await import("./work-tasks.ts")).hasOpenJobs(file, env);
}

/**
 * Runs an app's tasks until the signal aborts or, with `idleMs`, until there was nothing to do for so long. Every process that has
 * the app may call it: one worker at a time takes care of a hooks file's own queue, and the next one steps in when it ends.
 */
export async function workTasks(app: AppInside, options: WorkTasksOptions): Promise<void> {
  return (await import("./work-tasks.ts")).workTasks(app, options);
}
