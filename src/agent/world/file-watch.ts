import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FSWatcher } from "chokidar";

/** A file that was added, changed or removed, with the fields of FileChanged. */
interface FileChange {
  readonly path: string;
  readonly event: "add" | "change" | "unlink";
}

export type FileWatch = ReturnType<typeof openFileWatch>;

/** How often files are checked without a system event. */
const pollMs = 250;

/**
 * Watches a few files by comparing their state with the last one. System events only trigger a check; a timer does where there are
 * none. So a change is reported once, however many system events it caused.
 */
export function openFileWatch(onChange: (change: FileChange) => void) {
  const states = new Map<string, string>();
  let isClosed = false;
  let queue: Promise<void> = Promise.resolve();
  const watcher = new FSWatcher({ persistent: false, ignoreInitial: true, depth: 0, ignorePermissionErrors: true });
  watcher.on("all", () => void check());
  // Watching may fail, for example without free handles; the timer still works.
  watcher.on("error", () => void check());
  const timer = setInterval(() => void check(), pollMs).unref();

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
      onChange({ path, event: before === missing ? "add" : event });
    }
  }

  async function setPaths(paths: readonly string[]): Promise<void> {
    const wanted = new Set(paths.filter(isWatchable).slice(0, maxPaths));
    const removed = [...states.keys()].filter((path) => !wanted.has(path));
    const added = [...wanted].filter((path) => !states.has(path));
    for (const path of removed) states.delete(path);
    for (const path of added) states.set(path, await stateOf(path));
    watcher.unwatch(removed);
    watcher.add(added);
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
      await watcher.close();
      await queue;
    },
  };
}

/** Paths come from hooks; more of them could not be checked in time. */
const maxPaths = 1_000;

function isWatchable(path: string): boolean {
  return isAbsolute(path) && !path.includes("\0");
}

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
