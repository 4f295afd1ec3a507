import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DaemonRecord, ignoringErrorsSync, isDaemonAlive, takeLock } from "../files/internal.ts";
import { Problem } from "../protocol/internal.ts";
import { startDetached } from "../sdk/internal.ts";
import { type Env, linkRecord, openDaemonFolder, readDaemon } from "./record-file.ts";

export interface StartDaemonOptions extends DaemonOptions {
  /** The program, and the arguments with which it serves this file in the foreground; paths are absolute. */
  readonly command: readonly [string, ...string[]];
}

interface DaemonOptions {
  readonly env: Env;
  /** Aborted: the caller no longer waits. A daemon that was started still comes up. */
  readonly signal?: AbortSignal;
}

const waitMs = 15_000;

/**
 * Makes sure that a daemon runs for a hooks file: finds it, or starts one that outlives this process.
 * Contract: many callers at once end with one daemon; it has no descriptor, session or run tag of ours.
 */
export async function startDaemon(hooksFile: string, options: StartDaemonOptions): Promise<DaemonRecord> {
  const { env, command, signal } = options;
  const given = resolve(hooksFile);
  const file = realpathSync(given);
  const folder = await openDaemonFolder(file, env);
  for (const path of new Set([given, file])) await linkRecord(path, env);
  // The daemon gets neither the variables of one event nor the current folder of the caller, which may be a worktree that is removed
  // later: a process whose folder was removed cannot load anything.
  const { HOOKLINE_DEPTH: _depth, CLAUDE_ENV_FILE: _file, CLAUDE_PROJECT_DIR: _dir, ...daemonEnv } = env;
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    signal?.throwIfAborted();
    const record = await readDaemon(file, env);
    if (record !== undefined) return record;
    // Only one caller starts a daemon; the others wait for it.
    const lock = await takeLock(join(folder, "start"), { waitMs: 100 });
    if (!lock.held) continue;
    try {
      if ((await readDaemon(file, env)) !== undefined) continue;
      let failed: Error | undefined;
      const onError = (error: Error) => {
        failed = error;
      };
      startDetached(command, { cwd: dirname(file), env: daemonEnv, onError });
      while (performance.now() < until && (await readDaemon(file, env)) === undefined) {
        if (failed !== undefined) throw notStarted(`The daemon could not be started: ${failed.message}`, file, failed);
        signal?.throwIfAborted();
        await sleep(20);
      }
    } finally {
      await lock.release();
    }
  }
  const wayOut = `See: hookline serve ${file} --foreground`;
  throw notStarted(`The daemon for ${file} did not come up within ${waitMs / 1000} s. ${wayOut}`, file);
}

function notStarted(message: string, file: string, cause?: Error): Problem {
  return new Problem("daemon/no-start", message, { about: { file }, cause });
}

/** A daemon may take this long to finish its calls and to dispose what its app holds. */
const patienceMs = 9_000;

/**
 * Ends the daemon of a hooks file: it is asked to finish what it has, and killed when it does not.
 * Contract: when it resolves, that process has exited. False when none ran.
 */
export async function stopDaemon(hooksFile: string, { env, signal }: DaemonOptions): Promise<boolean> {
  const record = await readDaemon(hooksFile, env);
  if (record === undefined) return false;
  const until = Date.now() + patienceMs;
  send(record.pid, "SIGTERM");
  while (isDaemonAlive(record)) {
    // Checked again immediately before: another process may have got the number.
    if (Date.now() > until && isDaemonAlive(record)) send(record.pid, "SIGKILL");
    signal?.throwIfAborted();
    await sleep(20);
  }
  return true;
}

function send(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  // It may have exited since it was checked.
  ignoringErrorsSync(["ESRCH"], () => process.kill(pid, name));
}

/** The daemon that answers for a hooks file; undefined when none runs. `since` is in milliseconds since 1970; `sourceHash` is that of the code that answers. */
export async function daemonStatus(hooksFile: string, { env }: DaemonOptions) {
  const record = await readDaemon(hooksFile, env);
  if (record === undefined) return undefined;
  const { pid, since, port, version, sourceHash } = record;
  return { pid, since, port, version, sourceHash };
}
