import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../files/internal.ts";
import { Problem } from "../protocol/index.ts";
import { startDetached } from "../sdk/internal.ts";
import { type Env, openDaemonFolder } from "./folder.ts";
import { type DaemonRecord, readRecord } from "./record-file.ts";
import { writeAlias } from "./record-link.ts";

export interface StartOptions {
  readonly env: Env;
  /** The program, and the words with which it serves this file in the foreground; paths are absolute. */
  readonly command: readonly [string, ...string[]];
  /** Aborted: the caller does not wait any more. What was started comes up all the same. */
  readonly signal?: AbortSignal;
}

const waitMs = 15_000;

/**
 * Makes sure that a daemon runs for a hooks file: finds it, or starts one that outlives this process.
 * Contract: many callers at once end with one daemon; it has no descriptor, session or run tag of ours.
 */
export async function startDaemon(hooksFile: string, options: StartOptions): Promise<DaemonRecord> {
  const { env, command, signal } = options;
  const given = resolve(hooksFile);
  const file = realpathSync(given);
  const folder = await openDaemonFolder(file, env);
  for (const path of new Set([given, file])) await writeAlias(path, env);
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    signal?.throwIfAborted();
    const record = await readRecord(file, env);
    if (record !== undefined) return record;
    // Only one caller starts; the others wait for what comes of it.
    const lock = await takeLock(join(folder, "start"), { waitMs: 100 });
    if (!lock.held) continue;
    try {
      if ((await readRecord(file, env)) !== undefined) continue;
      let failed: Error | undefined;
      await launch(command, dirname(file), env, (error) => {
        failed = error;
      });
      while (performance.now() < until && (await readRecord(file, env)) === undefined) {
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
 * What is said of one event, and how deep in hooks we are, is not the daemon's business. Nor is the folder of whoever starts it, a worktree
 * for instance: that may go, and a process whose folder is gone can load nothing.
 */
function launch(
  command: StartOptions["command"],
  cwd: string,
  given: Env,
  onError: (error: Error) => void,
): Promise<void> {
  const { HOOKLINE_DEPTH: _depth, CLAUDE_ENV_FILE: _file, CLAUDE_PROJECT_DIR: _dir, ...env } = given;
  return startDetached(command, { cwd, env, onError });
}

function notStarted(message: string, file: string, cause?: Error): Problem {
  return new Problem("daemon/no-start", message, { about: { file }, ...(cause === undefined ? {} : { cause }) });
}
