import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ignoringErrorsSync } from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import type { FiringEvent } from "../fire/firing-event.ts";
import type { StartedCommand } from "../runners/command/start-command.ts";
import type { MaybeAsync } from "../runners/run-limits.ts";
import { type RunnerResult, resultNotStarted } from "../runners/runner-result.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import { fileMark, isBelow, realPathOf } from "./coverage/gather-files.ts";
import type { ComparedFiles, HookTrustStatus } from "./trust-state.ts";

/** Whether a command may be started now. */
interface StartTrust {
  /** Why it may not be started; empty when it may. */
  readonly why: string;
  /** Whether it may not because a file is being changed. */
  readonly isChanging?: boolean;
  /** The marks of its files; absent when no files were compared. */
  readonly marks?: FileMarks;
}

export function startTrust({ detail, compared }: Pick<HookTrustStatus, "detail" | "compared">): StartTrust {
  if (detail !== "" || compared === undefined) return { why: detail };
  const { marks, fresh } = marksOf(compared);
  if (fresh === undefined) return { why: "", marks };
  return { why: `${fresh} is being changed right now`, isChanging: true, marks };
}

/** `startTrust` for a hook of an event. Called again immediately before the program is started. */
export function hookStartTrust(hook: ConfiguredHook, { settings, payload }: FiringEvent): StartTrust {
  return startTrust(settings.trust.ofHook(hook, String(payload["cwd"])));
}

/**
 * Waits until the files of an approved command have not changed for a moment, so that the compared files are the ones that run.
 * If they still change after a second, the result reports it and the command is not started.
 */
export function waitForStableFiles(check: () => StartTrust): MaybeAsync<StartTrust> {
  const first = check();
  return first.isChanging ? checkUntilStable(check) : first;
}

const maxWaits = 10;

async function checkUntilStable(check: () => StartTrust): Promise<StartTrust> {
  let result = check();
  for (let waits = 0; waits < maxWaits && result.isChanging; waits++) {
    await sleep(quietMs);
    result = check();
  }
  return result;
}

/** How long a file must be unchanged before it is run: longer than the clock of a file system ticks, and than a writer pauses. */
const quietMs = 100;

/** The state of files on disk, by path: their identity and their time of change. */
type FileMarks = ReadonlyMap<string, string>;

/**
 * The marks of files, and a path that changed so recently that the content that was read may be older.
 * Contract: called after the files were read. When no path is fresh, the marks belong to the content that was read.
 */
function marksOf({ places, comparedAt, root }: ComparedFiles): { marks: FileMarks; fresh: string | undefined } {
  const marks = new Map<string, string>();
  let fresh: string | undefined;
  // If a folder on the path was replaced, the file at the end is a different one.
  for (const [path, mark] of places) if (hasChanged(path, mark, statSync)) fresh ??= path;
  const paths = [...places.keys()].flatMap((place) => [resolve(place), realPathOf(place) ?? resolve(place)]);
  for (const path of partsOf(paths, root)) {
    const stat = statOf(path, lstatSync);
    if (stat === undefined || (!stat.isDirectory() && isFresh(stat.ctimeMs, comparedAt))) fresh ??= path;
    marks.set(path, stat === undefined ? "missing" : fileMark(stat));
  }
  for (const folder of parentFolders(paths, root)) {
    const stat = statOf(folder, statSync);
    if (stat !== undefined && isFresh(stat.mtimeMs, comparedAt)) fresh ??= folder;
  }
  return { marks, fresh };
}

/**
 * Folders of the checkout that contain another folder of a file's path. Replacing that inner folder changes only the time of the folder
 * that contains it. The file's own folder is not included: replacing the file changes the file, and programs may write other files there.
 */
function parentFolders(paths: readonly string[], root: string): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of new Set(paths))
    for (let at = dirname(path); isBelow(at, root); at = dirname(at)) folders.add(dirname(at));
  return folders;
}

/** A time far in the future comes from a file server with another clock, and is ignored. */
function isFresh(ctimeMs: number, comparedAt: number): boolean {
  return ctimeMs > comparedAt - quietMs && ctimeMs < Date.now() + 1_000;
}

/** The first path whose mark has changed. */
function changedFile(marks: FileMarks): string | undefined {
  return [...marks].find(([path, mark]) => hasChanged(path, mark, lstatSync))?.[0];
}

function hasChanged(path: string, mark: string, stat: typeof statSync | typeof lstatSync): boolean {
  const now = statOf(path, stat);
  return now === undefined || fileMark(now) !== mark;
}

/** Undefined for a path that cannot be read, such as a file in a folder without permission. It counts as changed. */
function statOf(path: string, stat: typeof statSync | typeof lstatSync): Stats | undefined {
  return attempt(() => stat(path, { throwIfNoEntry: false }));
}

/** The paths, and every folder of the checkout in them. */
function partsOf(paths: readonly string[], root: string): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const path of paths) {
    for (let at = path; !parts.has(at); at = dirname(at)) {
      if (at !== path && !isBelow(at, root)) break;
      parts.add(at);
    }
  }
  return parts;
}

/** The files are checked every 2 ms in the first 100 ms after the start, then three more times. By then an interpreter has read its file. */
const checkEveryMs = 2;
const closeWatchMs = 100;
const lateChecksMs = [250, 500, 1_000];

/** Kills a hook whose files change between the comparison and the time when its program has read them. Its answer is discarded. */
export function endIfFilesChange(started: StartedCommand, marks: FileMarks | undefined): StartedCommand {
  const { running } = started;
  if (marks === undefined || running?.pid === undefined) return started;
  const { pid } = running;
  const startedAt = performance.now();
  let changedPath: string | undefined;
  const check = (): void => {
    changedPath ??= changedFile(marks);
    if (changedPath === undefined) return;
    killGroup(pid);
    running.cancel();
  };
  check();
  const interval = setInterval(() => {
    check();
    if (performance.now() - startedAt > closeWatchMs) clearInterval(interval);
  }, checkEveryMs).unref();
  const timers = lateChecksMs.map((ms) => setTimeout(check, ms).unref());
  const done = started.done.then((result): RunnerResult => {
    for (const timer of [interval, ...timers]) clearTimeout(timer);
    if (performance.now() - startedAt < (lateChecksMs.at(-1) ?? 0)) changedPath ??= changedFile(marks);
    if (changedPath === undefined) return result;
    const { stdout, stderr } = result;
    const message = `${changedPath} was changed while the hook was started; the hook was ended`;
    return { ...resultNotStarted(message), stdout, stderr };
  });
  return { ...started, done };
}

/** Kills at once: a process that is asked to exit may take its time. */
function killGroup(pid: number): void {
  if (process.platform === "win32") return;
  // It has exited, or runs as another user; the cancellation that follows reports surviving processes.
  ignoringErrorsSync(["ESRCH", "EPERM"], () => process.kill(-pid, "SIGKILL"));
}
