import type { Ran } from "../../ran.ts";
import { changedSince, type Marks } from "../../trust/unchanged.ts";
import { notStarted } from "../ended.ts";
import type { StartedCommand } from "./start.ts";

/** How often, and how long after the start, it is checked whether a file was swapped. An interpreter has read its file by then. */
const everyMs = 2;
const closelyMs = 100;
const lateMs = [250, 500, 1_000];

/** Ends a hook whose files changed between the comparison and the time when they were read; what it answered does not count. */
export function endIfSwapped(started: StartedCommand, marks: Marks | undefined): StartedCommand {
  const { running } = started;
  if (marks === undefined || running?.pid === undefined) return started;
  const { pid } = running;
  const startedAt = performance.now();
  let swapped: string | undefined;
  const look = (): void => {
    swapped ??= changedSince(marks);
    if (swapped === undefined) return;
    killGroup(pid);
    running.cancel();
  };
  look();
  const closely = setInterval(() => {
    look();
    if (performance.now() - startedAt > closelyMs) clearInterval(closely);
  }, everyMs).unref();
  const timers = lateMs.map((ms) => setTimeout(look, ms).unref());
  const done = started.done.then((ran): Ran => {
    for (const timer of [closely, ...timers]) clearTimeout(timer);
    if (performance.now() - startedAt < (lateMs.at(-1) ?? 0)) swapped ??= changedSince(marks);
    if (swapped === undefined) return ran;
    const { stdout, stderr } = ran;
    return { ...notStarted(`${swapped} was changed while the hook was started; the hook was ended`), stdout, stderr };
  });
  return { ...started, done };
}

/** At once: a process that is asked to end may take its time. */
function killGroup(pid: number): void {
  if (process.platform === "win32") return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended, or runs as another user; the cancellation that follows reports what survives.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
