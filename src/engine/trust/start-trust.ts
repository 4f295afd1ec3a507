import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookEvent } from "../fire/fire.ts";
import type { StartedCommand } from "../runners/command/start-command.ts";
import type { MaybeAsync } from "../runners/run-limits.ts";
import { type RunnerResult, resultNotStarted } from "../runners/runner-result.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import { fileMark, isBelow, realPathOf } from "./coverage/gather-files.ts";

/** Files that were compared with what was approved, and when that began. */
export interface SeenFiles {
  /** Their paths, with the marks of the files that were read there. */
  readonly places: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly lookedAt: number;
  /** The checkout's folder. */
  readonly root: string;
}

/** Whether a command may be started now. */
export interface StartTrust {
  /** Why not; empty when nothing is in the way. */
  readonly why: string;
  /** By what a change of its files shows; absent when it has none that were compared. */
  readonly marks?: FileMarks;
}

export function startTrust({ detail, seen }: { readonly detail: string; readonly seen?: SeenFiles }): StartTrust {
  if (detail !== "" || seen === undefined) return { why: detail };
  const marks = marksOf(seen);
  return { why: marks.fresh === undefined ? "" : `${marks.fresh} is being changed right now`, marks };
}

/** The same for a hook of an event. Asked again immediately before its program is started. */
export function hookStartTrust(hook: ConfiguredHook, { settings, payload }: HookEvent): StartTrust {
  return startTrust(settings.trust.ofHook(hook, String(payload["cwd"])));
}

/**
 * Waits until the files of an approved command have been as they are for a moment, so that what was compared is what will be started.
 * Files that do not come to rest within a second are the reason not to start it.
 */
export function waitForStableFiles(look: () => StartTrust): MaybeAsync<StartTrust> {
  const first = look();
  return first.marks?.fresh === undefined ? first : later(look);
}

const mostWaits = 10;

async function later(look: () => StartTrust): Promise<StartTrust> {
  let now = look();
  for (let waits = 0; waits < mostWaits && now.marks?.fresh !== undefined; waits++) {
    await sleep(quietMs);
    now = look();
  }
  return now;
}

/** How long a file must have been as it is before it is run: longer than a disk's clock ticks and than a writer is held up. */
const quietMs = 100;

/** What of files shows a change: another file in the same place, or another time of change. */
export interface FileMarks {
  readonly byPath: ReadonlyMap<string, string>;
  /** A path that changed so lately that what was read may be older; undefined when none did. */
  readonly fresh: string | undefined;
}

/** Contract: taken after the files were read. When nothing is fresh, what was read is what was there while this was taken. */
function marksOf({ places, lookedAt, root }: SeenFiles): FileMarks {
  const byPath = new Map<string, string>();
  let fresh: string | undefined;
  // Another folder in the place of one on the way shows by another file at its end.
  for (const [path, mark] of places) {
    const stat = statOf(path, statSync);
    if (stat === undefined || fileMark(stat) !== mark) fresh ??= path;
  }
  for (const path of partsOf([...places.keys()], root)) {
    const stat = statOf(path, lstatSync);
    if (stat === undefined || (!stat.isDirectory() && isFresh(stat.ctimeMs, lookedAt))) fresh ??= path;
    byPath.set(path, stat === undefined ? "gone" : fileMark(stat));
  }
  for (const folder of foldersOfFolders([...places.keys()], root)) {
    const stat = statOf(folder, statSync);
    if (stat !== undefined && isFresh(stat.mtimeMs, lookedAt)) fresh ??= folder;
  }
  return { byPath, fresh };
}

/**
 * Folders of the checkout that hold a folder on the way to a file. Swapping such a folder leaves no trace in the file, only in the folder
 * above. The folder of the file itself is left out: there a swap shows in the file, and programs may write other files all the time.
 */
function foldersOfFolders(places: readonly string[], root: string): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const place of places) {
    for (const path of new Set([resolve(place), realPathOf(place) ?? resolve(place)])) {
      for (let at = dirname(path); isBelow(at, root); at = dirname(at)) folders.add(dirname(at));
    }
  }
  return folders;
}

/** A time far ahead is that of a disk with a clock of its own, which says nothing. */
function isFresh(ctimeMs: number, lookedAt: number): boolean {
  return ctimeMs > lookedAt - quietMs && ctimeMs < Date.now() + 1_000;
}

/** The first path that is not as it was marked. */
export function changedFile({ byPath }: FileMarks): string | undefined {
  for (const [path, mark] of byPath) {
    const stat = statOf(path, lstatSync);
    if (stat === undefined || fileMark(stat) !== mark) return path;
  }
  return undefined;
}

/** Undefined for what cannot be looked at, such as a file in a folder that was locked: it is not as it was compared. */
function statOf(path: string, look: typeof statSync | typeof lstatSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

/** The files and every folder of the checkout on the way to them, by name and by their real paths. */
function partsOf(places: readonly string[], root: string): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const place of places) {
    for (const path of new Set([resolve(place), realPathOf(place) ?? resolve(place)])) {
      for (let at = path; !parts.has(at); at = dirname(at)) {
        if (at !== path && !isBelow(at, root)) break;
        parts.add(at);
      }
    }
  }
  return parts;
}

/** How often, and how long after the start, it is checked whether a file was swapped. An interpreter has read its file by then. */
const everyMs = 2;
const closelyMs = 100;
const lateMs = [250, 500, 1_000];

/** Ends a hook whose files changed between the comparison and the time when they were read; what it answered does not count. */
export function endIfFilesChange(started: StartedCommand, marks: FileMarks | undefined): StartedCommand {
  const { running } = started;
  if (marks === undefined || running?.pid === undefined) return started;
  const { pid } = running;
  const startedAt = performance.now();
  let swapped: string | undefined;
  const look = (): void => {
    swapped ??= changedFile(marks);
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
  const done = started.done.then((ran): RunnerResult => {
    for (const timer of [closely, ...timers]) clearTimeout(timer);
    if (performance.now() - startedAt < (lateMs.at(-1) ?? 0)) swapped ??= changedFile(marks);
    if (swapped === undefined) return ran;
    const { stdout, stderr } = ran;
    return {
      ...resultNotStarted(`${swapped} was changed while the hook was started; the hook was ended`),
      stdout,
      stderr,
    };
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
