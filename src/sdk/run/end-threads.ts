import { existsSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { attempt } from "../../protocol/internal.ts";
import { releaseBlockedPipes } from "./blocked-pipes.ts";

/** Threads of this package, which end with the process. */
export const ownThreads = new WeakSet<object>();

let threads = false;

/** Notes the threads that handlers start from now on. */
export function noteThreads(): void {
  process.on("worker", (thread) => {
    threads ||= !ownThreads.has(thread);
  });
}

export function hasThreads(): boolean {
  return threads;
}

/**
 * The last step before the process ends. Node waits for its other threads, while one that looks up a host name or reads a named pipe may
 * take longer than the host waits, and then the host drops the answer. Another program in place of this one ends them.
 *
 * Contract: returns if no thread works, and where this Node cannot do that. There only threads that open a named pipe are released.
 */
export function endThreads(exitCode: number): void {
  const isBusy = threads || process.getActiveResourcesInfo().some((name) => /^(FSReq|Get|MessagePort)/.test(name));
  if (!isBusy) return;
  attempt(() => replaceProcess(exitCode));
  attempt(releaseBlockedPipes);
}

/** In Node since 22.15. It throws on Windows and in worker threads. */
export type ReplaceableProcess = typeof process & {
  execve?(file: string, args?: readonly string[], env?: object): never;
};

function replaceProcess(exitCode: number): void {
  const own = process as ReplaceableProcess;
  if (own.execve === undefined) return;
  // It needs the standard streams. Those that were closed get the lowest descriptors again.
  while (openSync(devNull, "r+") <= 2);
  const program = existsSync("/bin/sh")
    ? ["/bin/sh", "-c", `exit ${exitCode}`]
    : [process.execPath, "-e", `process.exit(${exitCode})`];
  own.execve(program[0] as string, program, {});
}
