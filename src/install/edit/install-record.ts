import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type HomeSource, openState, readState, replaceFile, statePath, withLock } from "../../files/internal.ts";
import type { Had } from "../plan/entry-edits.ts";
import type { HttpConsent } from "../plan/http-entries.ts";
import type { PlannedEntry } from "../plan/plan-entries.ts";
import { settingsKey } from "./settings-backup.ts";

/**
 * What this user's install did to one settings file, kept for this user alone: the way back, byte for byte, and the entries as they
 * were written, tokens included.
 */
export interface InstallRecord {
  readonly version: 1;
  readonly settingsFile: string;
  readonly hooksFile: string;
  /** The text before the first install; null: there was no file. */
  readonly before: string | null;
  /** Its mode, where install had to change it. */
  readonly beforeMode?: number;
  /** SHA-256 of the bytes that install left. */
  readonly afterHash: string;
  readonly had: Had;
  /** The folder of the settings file, or the outermost one around it, that install made. */
  readonly madeFolder?: string;
  readonly entries: readonly PlannedEntry[];
  readonly tokenEnv?: string;
  /** Present when http entries were asked for. */
  readonly httpConsent?: HttpConsent;
}

/** Undefined when this user has not installed anything there, or another version did. */
export async function readRecord(realPath: string, home: HomeSource): Promise<InstallRecord | undefined> {
  const bytes = await readState(["installs", recordName(realPath)], home);
  if (bytes === undefined) return undefined;
  try {
    const value = JSON.parse(bytes.toString("utf8")) as InstallRecord;
    return value.version === 1 ? value : undefined;
  } catch {
    return undefined; // damaged: entries are then known by the lock file, and cut out one by one
  }
}

/** One install or uninstall of a settings file at a time: each builds on what the one before it noted. */
export async function withRecordLock<T>(realPath: string, home: HomeSource, work: () => Promise<T>): Promise<T> {
  await openState(["installs"], home);
  return withLock(recordPath(realPath, home), work, { waitMs: 15_000 });
}

export async function writeRecord(realPath: string, record: InstallRecord, home: HomeSource): Promise<void> {
  await replaceFile(recordPath(realPath, home), `${JSON.stringify(record)}\n`);
}

export async function dropRecord(realPath: string, home: HomeSource): Promise<void> {
  await rm(recordPath(realPath, home), { force: true });
}

function recordPath(realPath: string, home: HomeSource): string {
  return join(statePath(home), "installs", recordName(realPath));
}

function recordName(realPath: string): string {
  return `${settingsKey(realPath)}.json`;
}
