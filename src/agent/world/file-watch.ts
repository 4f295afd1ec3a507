import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FSWatcher } from "chokidar";

/** A file that was added, changed or removed, with the fields of FileChanged. */
export interface FileChange {
  readonly path: string;
  readonly event: "add" | "change" | "unlink";
}

export interface WatchList {
  /** The current folder, and the names in it that hooks wait for. */
  readonly folder: string;
  readonly names: readonly string[];
  /** Absolute paths that hooks asked for. */
  readonly paths: readonly string[];
}

export interface FileWatch {
  /** Sets what is watched. The present content is the baseline, not a change; files that stay on the list lose no change. */
  watch(list: WatchList): Promise<void>;
  /** Checks now: every earlier change is reported before this resolves. */
  look(): Promise<void>;
  close(): Promise<void>;
}

export interface WatchOptions {
  readonly onChange: (change: FileChange) => void;
  /** How often files are checked without a system event. Default: 250 ms. */
  readonly pollMs?: number;
}

/**
 * Watches a few files. What counts is how a file looks, compared with the last look: the system's notices only say when to look, and
 * where it gives none the clock does. So a change is reported once, however many system events it caused.
 */
export function openFileWatch({ onChange, pollMs = 250 }: WatchOptions): FileWatch {
  const looks = new Map<string, string>();
  let closed = false;
  let turn: Promise<void> = Promise.resolve();
  const notices = new FSWatcher({ persistent: false, ignoreInitial: true, depth: 0, ignorePermissionErrors: true });
  notices.on("all", () => void look());
  // Watching may fail, for want of handles for instance; the clock goes on.
  notices.on("error", () => void look());
  const clock = setInterval(() => void look(), pollMs).unref();

  /** One check at a time, so that no change is reported twice. */
  function look(): Promise<void> {
    turn = turn.then(lookAtAll);
    return turn;
  }

  async function lookAtAll(): Promise<void> {
    for (const [path, before] of [...looks]) {
      const now = await settled(path, before);
      if (closed || !looks.has(path) || now === before) continue;
      looks.set(path, now);
      onChange({ path, event: before === absent ? "add" : now === absent ? "unlink" : "change" });
    }
  }

  async function change({ folder, names, paths }: WatchList): Promise<void> {
    const all = [...names.map((name) => join(folder, name)), ...paths].filter(isWatchable);
    const wanted = new Set(all.slice(0, maxPaths));
    const [gone, fresh] = [
      [...looks.keys()].filter((path) => !wanted.has(path)),
      [...wanted].filter((path) => !looks.has(path)),
    ];
    for (const path of gone) looks.delete(path);
    for (const path of fresh) looks.set(path, await lookOf(path));
    notices.unwatch(gone);
    notices.add(fresh);
  }

  return {
    watch(list) {
      turn = turn.then(() => change(list));
      return turn;
    },
    look,
    async close() {
      closed = true;
      clearInterval(clock);
      await notices.close();
      await turn;
    },
  };
}

/** Hooks give these paths: what is none is left out, and so are more than anybody can look at in time. */
const maxPaths = 1_000;

function isWatchable(path: string): boolean {
  return isAbsolute(path) && !path.includes("\0");
}

const absent = "";
const restMs = 40;
const maxRests = 4;

/** A file that is just being written is looked at until it rests, for a moment: emptied and filled is one change, not two. */
async function settled(path: string, before: string): Promise<string> {
  let now = await lookOf(path);
  for (let rests = 0; now !== before && rests < maxRests; rests += 1) {
    await sleep(restMs, undefined, { ref: false });
    const next = await lookOf(path);
    if (next === now) break;
    now = next;
  }
  return now;
}

/** Everything about a file that changes when somebody writes it. A folder looks as its list of names was last touched. */
async function lookOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    // Removed, or not readable: both count as missing.
    return absent;
  }
}
