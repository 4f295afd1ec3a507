import { setTimeout as sleep } from "node:timers/promises";
import type { Env } from "./folder.ts";
import { isAlive, readRecord } from "./record-file.ts";

/** What a daemon may take for the calls it has and for what its app holds, and a little more. */
const patienceMs = 9_000;

export interface StopOptions {
  readonly env?: Env;
  /** Aborted: the caller does not wait any more. */
  readonly signal?: AbortSignal;
}

/**
 * Ends the daemon of a hooks file: it is asked to finish what it has, and killed when it does not.
 * Contract: when it resolves, that process is gone. False when none ran.
 */
export async function stopDaemon(hooksFile: string, options: StopOptions = {}): Promise<boolean> {
  const { env = process.env, signal } = options;
  const record = await readRecord(hooksFile, env);
  if (record === undefined) return false;
  const until = Date.now() + patienceMs;
  send(record.pid, "SIGTERM");
  while (isAlive(record)) {
    // Looked at again right before: a number must not be hit that is another process's by now.
    if (Date.now() > until && isAlive(record)) send(record.pid, "SIGKILL");
    signal?.throwIfAborted();
    await sleep(20);
  }
  return true;
}

function send(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone between looking and asking: that is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
