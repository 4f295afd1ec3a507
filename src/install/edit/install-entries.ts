import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  claudeCodeFault,
  claudeCodeFaultText,
  type EditedFile,
  editSettings,
  editText,
  realFile,
  withoutComments,
} from "../../engine/internal.ts";
import { type HomeSource, isInside, sha256 } from "../../files/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import { installCommand } from "../drift/advice.ts";
import type { HttpConsent, ScopeFiles } from "../plan/install-places.ts";
import {
  type BeforeInstall,
  beforeInstall,
  installEdits,
  nothingBefore,
  type OwnEntryMarks,
  ownEntries,
  type PlannedEntry,
  removeEdits,
} from "../plan/own-entries.ts";
import {
  fromLockPath,
  type InstallNotes,
  type InstallRecord,
  installNotes,
  type LockFile,
  readLockFile,
  writeLockFile,
} from "./install-record.ts";
import { modeOf, outermostMissing, restrictToOwner } from "./settings-file.ts";

export interface EntryInstall {
  readonly places: ScopeFiles;
  readonly hooksFile: string;
  readonly planned: readonly PlannedEntry[];
  readonly lock: LockFile;
  /** Every way our entries may have been written. */
  readonly calls: readonly (readonly string[])[];
  /** The variable that holds the token, when no file is to hold it. */
  readonly tokenEnv?: string;
  readonly httpConsent?: HttpConsent;
  readonly home: HomeSource;
  readonly now: Date;
  /** Removes comments and trailing commas, which Claude Code cannot read; uninstall restores them. */
  readonly stripComments?: boolean;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface WrittenEntries {
  /** The settings file before and after, and whether it was changed. */
  readonly settings: EditedFile;
  readonly lockWritten: boolean;
  /** Where the old bytes are kept, when there were any to be replaced. */
  readonly backup?: string;
}

/**
 * Puts entries into a settings file: own ones are replaced in place, all else keeps its bytes.
 *
 * Contract: the way back is on disk before the file is changed; the lock file is written after it. With nothing to change, nothing
 * is written. A dry run writes nothing at all.
 */
export async function writeEntries(call: EntryInstall): Promise<WrittenEntries> {
  const notes = await installNotes(call.places.settingsFile, call.home);
  await refuseLinkOut(notes.real, call.places);
  return call.dryRun ? installAt(notes, call) : notes.exclusively(() => installAt(notes, call));
}

async function installAt(notes: InstallNotes, call: EntryInstall): Promise<WrittenEntries> {
  const { places, planned, now, tokenEnv, dryRun = false, signal } = call;
  const { settingsFile, lockFile } = places;
  const old = await readLockFile(lockFile);
  const marks = marksOf(call, old);
  const record = await notes.read();
  const isOurFile = old?.created === true || record?.before === null;
  const madeFolder = (await outermostMissing(dirname(settingsFile))) ?? record?.madeFolder;
  const secret = planned.some(({ transport }) => transport === "http") && tokenEnv === undefined;
  const mode = (await modeOf(settingsFile)) ?? 0;
  /** Its mode, if install has to change it. */
  const openMode = secret && (mode & 0o077) !== 0 ? mode : undefined;
  let way: WayBack = { before: null, had: nothingBefore };
  let backup: string | undefined;
  const keep = async (edited: EditedFile): Promise<void> => {
    const { before, had, isCut } = way;
    const fresh: InstallRecord = {
      version: 1,
      settingsFile,
      hooksFile: call.hooksFile,
      before: edited.created || (isOurFile && before !== null && isEmptyObject(before)) ? null : before,
      afterHash: edited.contentHash,
      had,
      entries: planned,
      ...defined({ beforeMode: record?.beforeMode ?? openMode, madeFolder, isCut: isCut || undefined }),
      ...defined({ tokenEnv, httpConsent: call.httpConsent }),
    };
    if (!isDeepStrictEqual(fresh, record)) await notes.write(fresh);
    if (secret) await restrictToOwner(settingsFile);
  };
  const change = (settings: unknown, text: string) => {
    // The text without our entries. If no other program wrote since, it is the text from before the first install.
    if (record !== undefined && sha256(text) === record.afterHash) way = record;
    else {
      const isThere = ownEntries(settings, marks).length > 0;
      const had = isThere ? (record?.had ?? nothingBefore) : beforeInstall(settings);
      const isCut = (record === undefined && isThere) || record?.isCut;
      way = { before: editText(text, removeEdits(settings, marks, had)), had, isCut };
    }
    return installEdits(settings, planned, marks, way.had);
  };
  const settings = await editSettings(settingsFile, change, {
    dryRun,
    // Others read committed files; only the user may write them.
    mode: secret || places.scope !== "project" ? 0o600 : 0o644,
    folderMode: places.scope === "user" ? 0o700 : 0o755,
    ...(call.stripComments ? { prepare: withoutComments } : {}),
    verify: (edited) => refuseUnreadable(edited, call),
    ...defined({ signal }),
    beforeWrite: async (edited) => {
      if (!edited.created) backup = await notes.backUp(edited.before, now);
      await keep(edited);
    },
  });
  if (dryRun) return { settings, lockWritten: false };
  if (!settings.changed) await keep(settings);
  const lock = settings.created || isOurFile ? { ...call.lock, created: true as const } : call.lock;
  const lockWritten = await writeLockFile(lockFile, lock, places.scope === "project" ? 0o644 : 0o600);
  return { settings, lockWritten, ...defined({ backup }) };
}

/** A checkout may bring a link to any file of the user; a link in the user's own folder is the user's. */
async function refuseLinkOut(real: string, { scope, root, settingsFile }: ScopeFiles): Promise<void> {
  if (scope === "user" || isInside(real, await realFile(root))) return;
  const message = `${settingsFile} is a link that leads out of the project, to ${real}. Nothing was written. Replace the link with a file, or use --scope user.`;
  throw new Problem("install/link-out", message, { about: { file: settingsFile, real } });
}

/** Entries in a file that Claude Code drops would look installed and never run. */
function refuseUnreadable({ before, after }: EditedFile, { places, hooksFile, lock }: EntryInstall): void {
  const left = claudeCodeFault(after);
  if (left === undefined) return;
  const fault = claudeCodeFault(before) ?? left;
  const { line, column, reason } = fault;
  const again = installCommand({ places, hooksFile, lock });
  const message = `${claudeCodeFaultText(places.settingsFile, fault, again)} Nothing was written.`;
  const about = { file: places.settingsFile, line, column, reason };
  throw new Problem("settings/client-cannot-read", message, { about });
}

/** What entries of this app look like in this file. */
function marksOf({ places, hooksFile, calls }: EntryInstall, lock: LockFile | undefined): OwnEntryMarks {
  const before = lock === undefined ? [] : [fromLockPath(places.lockFile, lock.hooksPath)];
  return { root: places.root, hooksFiles: [hooksFile, ...before], calls: [...calls, ...(lock ? [lock.command] : [])] };
}

interface WayBack {
  readonly before: string | null;
  readonly had: BeforeInstall;
  readonly isCut?: boolean | undefined;
}

export function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}
