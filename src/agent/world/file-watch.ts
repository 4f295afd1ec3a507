import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type FileWatch = ReturnType<typeof openFileWatch>;

const checkEveryMs = 250;

/**
 * Watches a few files by comparing their state with the last one, a few times per second. System events are not used: they are missing
 * on some file systems, and one change may cause several.
 */
export function openFileWatch(onChange: (path: string, event: "add" | "change" | "unlink") => void) {
  const states = new Map<string, string>();
  let isClosed = false;
  let queue: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void check(), checkEveryMs).unref();

  /** Checks now: every earlier change is reported before this resolves. One check at a time, so that no change is reported twice. */
  function check(): Promise<void> {
    queue = queue.then(checkAll);
    return queue;
  }

  async function checkAll(): Promise<void> {
    for (const [path, before] of [...states]) {
      const now = await settledState(path, before);
      if (isClosed || !states.has(path) || now === before) continue;
      states.set(path, now);
      const event = now === missing ? "unlink" : "change";
      onChange(path, before === missing ? "add" : event);
    }
  }

  async function setPaths(paths: readonly string[]): Promise<void> {
    const wanted = new Set(paths.filter((path) => isAbsolute(path) && !path.includes("\0")).slice(0, maxPaths));
    for (const path of states.keys()) if (!wanted.has(path)) states.delete(path);
    for (const path of wanted) if (!states.has(path)) states.set(path, await stateOf(path));
  }

  return {
    /** Sets what is watched. The present content is the baseline, not a change; no change of a file that stays watched is lost. */
    watch(paths: readonly string[]): Promise<void> {
      queue = queue.then(() => setPaths(paths));
      return queue;
    },
    check,
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await queue;
    },
  };
}

/** Paths come from hooks; more of them could not be checked in time. */
const maxPaths = 1_000;

const missing = "";
const restMs = 40;
const maxRests = 4;

/** Waits a moment until a file that is being written no longer changes: emptied and filled is one change, not two. */
async function settledState(path: string, before: string): Promise<string> {
  let now = await stateOf(path);
  for (let rests = 0; now !== before && rests < maxRests; rests += 1) {
    await sleep(restMs, undefined, { ref: false });
    const next = await stateOf(path);
    if (next === now) break;
    now = next;
  }
  return now;
}

/** Everything about a file that a write changes. The state of a folder changes with its list of names. */
async function stateOf(path: string): Promise<string> {
  // Removed, or not readable: both count as missing.
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? missing : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}
