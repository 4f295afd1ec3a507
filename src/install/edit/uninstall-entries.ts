import { existsSync } from "node:fs";
import { chmod, readFile, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { editSettings, realFile } from "../../engine/internal.ts";
import {
  type HomeSource,
  ignoringErrors,
  isInside,
  replaceFile,
  sha256,
  statePath,
  succeedsUnless,
  withLock,
} from "../../files/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { appKey } from "../../sdk/internal.ts";
import type { ScopeFiles } from "../plan/install-places.ts";
import { nothingBefore, type OwnEntryMarks, ownEntries, removeEdits } from "../plan/own-entries.ts";
import { type EntryInstall, isEmptyObject } from "./install-entries.ts";
import { fromLockPath, type InstallNotes, type InstallRecord, installNotes, readLockFile } from "./install-record.ts";
import { readSettings } from "./settings-file.ts";

export interface UninstallCall extends Pick<EntryInstall, "places" | "home" | "now" | "dryRun" | "signal"> {
  /** Known when the lock file is lost. */
  readonly hooksFile?: string;
}

export interface Uninstalled {
  /** False when there was nothing of ours. */
  readonly wasInstalled: boolean;
  readonly hooksFile?: string;
  /** Whether port and token of that file may go: a lock file may come with a checkout and name another project's app. */
  readonly endsDaemon: boolean;
  /** `restored`: the bytes from before. `removed`: there was no file before. `cut`: own entries taken out of a file that has others, or had ours before. */
  readonly how: "restored" | "removed" | "cut" | "nothing";
  readonly before: string;
  /** Null: the file was removed. */
  readonly after: string | null;
}

/**
 * Takes entries out again. A file that is as install left it gets its old bytes and its old mode back; otherwise our entries are cut
 * out and all else stays. Contract: the lock file goes last, so that a call that was cut short can be made again.
 */
export async function uninstall(call: UninstallCall): Promise<Uninstalled> {
  const notes = await installNotes(call.places.settingsFile, call.home);
  return call.dryRun ? uninstallAt(notes, call) : notes.exclusively(() => uninstallAt(notes, call));
}

async function uninstallAt(notes: InstallNotes, call: UninstallCall): Promise<Uninstalled> {
  const { places, dryRun = false } = call;
  const { settingsFile, lockFile } = places;
  const lock = await readLockFile(lockFile);
  const record = await notes.read();
  const known = lock === undefined ? (record?.hooksFile ?? call.hooksFile) : fromLockPath(lockFile, lock.hooksPath);
  const hooksFiles = [known, record?.hooksFile, call.hooksFile].filter((file) => file !== undefined);
  const marks: OwnEntryMarks = { root: places.root, hooksFiles, calls: lock ? [lock.command] : [] };
  const { settings, text } = await readSettings(settingsFile);
  const found = ownEntries(settings, marks).length > 0;
  const asLeft = record !== undefined && record.afterHash === sha256(text);
  const wasInstalled = found || lock !== undefined || asLeft;
  const cut = async (): Promise<Done> => {
    const had = record?.had ?? nothingBefore;
    const edited = await editSettings(settingsFile, (current) => removeEdits(current, marks, had), {
      // Without an entry of ours there is nothing to lock or to make for it.
      dryRun: dryRun || !found,
      ...defined({ signal: call.signal }),
      beforeWrite: async ({ before }) => void (await notes.backUp(before, call.now)),
    });
    return { how: edited.changed ? "cut" : "nothing", before: edited.before, after: edited.after };
  };
  const restored = asLeft ? await restore(notes, record, call) : undefined;
  const cutOut = restored ?? (await cut());
  const isLeftEmpty = cutOut.how === "cut" && lock?.created === true && isEmptyObject(cutOut.after ?? "");
  const done = isLeftEmpty ? await removeFile(notes, cutOut, call) : cutOut;
  if (!dryRun) {
    if (record?.beforeMode !== undefined)
      await ignoringErrors(["ENOENT", "ENOTDIR"], chmod(notes.real, record.beforeMode));
    await rm(lockFile, { force: true });
    await notes.drop();
    if (record?.madeFolder !== undefined) await removeEmpty(dirname(settingsFile), record.madeFolder);
  }
  const endsDaemon = known !== undefined && (known === record?.hooksFile || (await isOfScope(known, places)));
  return { wasInstalled, ...defined({ hooksFile: known }), endsDaemon, ...done };
}

/** Where links lead counts: a checkout can bring one to another project's file. */
async function isOfScope(hooksFile: string, { scope, root }: ScopeFiles): Promise<boolean> {
  if (scope === "user") return true;
  return isInside(await realFile(hooksFile), await realFile(root));
}

/** A folder and its parents, up to the outermost, as long as they are empty. */
async function removeEmpty(folder: string, outermost: string): Promise<void> {
  const removed = ignoringErrors(["ENOENT"], rmdir(folder));
  const isGone = await succeedsUnless(["ENOTEMPTY", "EEXIST", "ENOTDIR"], removed);
  if (isGone && folder.startsWith(`${outermost}${sep}`)) await removeEmpty(dirname(folder), outermost);
}

type Done = Pick<Uninstalled, "how" | "before" | "after">;

/** Undefined when another program wrote in the last moment: then the file is no longer as install left it. */
async function restore(
  notes: InstallNotes,
  { before, afterHash, isCut = false }: Pick<InstallRecord, "before" | "afterHash" | "isCut">,
  { now, dryRun, signal }: UninstallCall,
): Promise<Done | undefined> {
  const { real } = notes;
  const attempt = async (): Promise<Done | undefined> => {
    const bytes = await readFile(real);
    const text = bytes.toString("utf8");
    if (sha256(text) !== afterHash) return undefined;
    const how = before === null ? "removed" : isCut ? "cut" : "restored";
    const done: Done = { how, before: text, after: before };
    if (dryRun) return done;
    await notes.backUp(text, now);
    if (before === null) {
      if (!(await readFile(real)).equals(bytes)) return undefined;
      await unlink(real);
    } else if ((await replaceFile(real, before, { expect: bytes })) === "changed") return undefined;
    return done;
  };
  return dryRun ? attempt() : withLock(real, attempt, defined({ signal }));
}

/** A file that install created, once nothing is left in it. */
async function removeFile(notes: InstallNotes, done: Done, call: UninstallCall): Promise<Done> {
  const left = { before: null, afterHash: sha256(done.after ?? "") };
  const isGone = call.dryRun || (await restore(notes, left, call)) !== undefined;
  return isGone ? { how: "removed", before: done.before, after: null } : done;
}

/**
 * Removes what outlives an uninstall: the project's state, the backups of the settings file, the app's background tasks when its hooks
 * file is given, and the hook log, whose records do not name their project. Gives what was there; a dry run removes nothing of it.
 */
export async function purgeTraces(
  { root, settingsFile }: ScopeFiles,
  home: HomeSource,
  { hooksFile, dryRun = false }: { readonly hooksFile?: string; readonly dryRun?: boolean } = {},
): Promise<readonly string[]> {
  const state = statePath(home);
  const traces = [
    join(state, "state", "project", `h-${sha256(await realFile(root))}.json`),
    ...(hooksFile === undefined ? [] : [join(state, "tasks", appKey(hooksFile))]),
    (await installNotes(settingsFile, home)).backups,
    join(state, "log"),
  ];
  const there = traces.filter((path) => existsSync(path));
  // A worker may write its result meanwhile.
  if (!dryRun) for (const path of there) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  return there;
}
