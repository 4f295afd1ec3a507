import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../files/internal.ts";
import { Problem } from "../protocol/internal.ts";
import { startDetached } from "../sdk/internal.ts";
import { type DaemonRecord, type Env, isAlive, linkRecord, openDaemonFolder, readDaemon } from "./record-file.ts";

export interface StartDaemonOptions {
  readonly env: Env;
  /** The program, and the words with which it serves this file in the foreground; paths are absolute. */
  readonly command: readonly [string, ...string[]];
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
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    signal?.throwIfAborted();
    const record = await readDaemon(file, env);
    if (record !== undefined) return record;
    // Only one caller starts; the others wait for what comes of it.
    const lock = await takeLock(join(folder, "start"), { waitMs: 100 });
    if (!lock.held) continue;
    try {
      if ((await readDaemon(file, env)) !== undefined) continue;
      let failed: Error | undefined;
      launch(command, dirname(file), env, (error) => {
        failed = error;
      });
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

/**
 * The daemon gets neither the variables of one event nor the current folder of the caller, which may be
 * a worktree that is removed later: a process whose folder was removed cannot load anything.
 */
function launch(
  command: StartDaemonOptions["command"],
  cwd: string,
  given: Env,
  onError: (error: Error) => void,
): void {
  const { HOOKLINE_DEPTH: _depth, CLAUDE_ENV_FILE: _file, CLAUDE_PROJECT_DIR: _dir, ...env } = given;
  startDetached(command, { cwd, env, onError });
}

function notStarted(message: string, file: string, cause?: Error): Problem {
  return new Problem("daemon/no-start", message, { about: { file }, ...(cause === undefined ? {} : { cause }) });
}

/** What a daemon may take for the calls it has and for what its app holds, and a little more. */
const patienceMs = 9_000;

interface StopOptions {
  readonly env?: Env;
  /** Aborted: the caller does not wait any more. */
  readonly signal?: AbortSignal;
}

/**
 * Ends the daemon of a hooks file: it is asked to finish what it has, and killed when it does not.
 * Contract: when it resolves, that process has exited. False when none ran.
 */
export async function stopDaemon(hooksFile: string, options: StopOptions = {}): Promise<boolean> {
  const { env = process.env, signal } = options;
  const record = await readDaemon(hooksFile, env);
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

export interface DaemonStatus {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly port: number;
  readonly version: string;
  /** Of the code that it answers with. */
  readonly sourceHash: string;
}

/** The daemon that answers for a hooks file; undefined when none runs. */
export async function daemonStatus(
  hooksFile: string,
  { env = process.env }: { env?: Env } = {},
): Promise<DaemonStatus | undefined> {
  const record = await readDaemon(hooksFile, env);
  if (record === undefined) return undefined;
  const { pid, since, port, version, sourceHash } = record;
  return { pid, since, port, version, sourceHash };
}
