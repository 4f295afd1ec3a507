import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type HomeSource,
  ignoringErrors,
  nodeFs,
  openFlags,
  openState,
  readState,
  readWholeFile,
  replaceFile,
  sha256,
  statePath,
  withLock,
} from "../../files/internal.ts";
import { isObject, messageOf, Problem, parseObject } from "../../protocol/internal.ts";
import type { HttpConsent } from "../plan/http-entries.ts";
import { type AskedTransport, askedTransports } from "../plan/install-places.ts";
import type { BeforeInstall } from "../plan/own-entries.ts";
import type { PlannedEntry } from "../plan/plan-entries.ts";

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
  readonly had: BeforeInstall;
  /** The folder of the settings file, or the outermost one around it, that install made. */
  readonly madeFolder?: string;
  readonly entries: readonly PlannedEntry[];
  readonly tokenEnv?: string;
  /** Present when http entries were asked for. */
  readonly httpConsent?: HttpConsent;
}

/** Undefined when this user has not installed anything there, or another version did. */
export async function readInstallRecord(realPath: string, home: HomeSource): Promise<InstallRecord | undefined> {
  const bytes = await readState(["installs", recordName(realPath)], home);
  if (bytes === undefined) return undefined;
  // Undefined when it is damaged: entries are then known by the lock file, and cut out one by one.
  const value = parseObject(bytes.toString("utf8")) as InstallRecord | undefined;
  return value?.version === 1 ? value : undefined;
}

/** One install or uninstall of a settings file at a time: each builds on what the one before it noted. */
export async function withRecordLock<T>(realPath: string, home: HomeSource, work: () => Promise<T>): Promise<T> {
  await openState(["installs"], home);
  return withLock(recordPath(realPath, home), work, { waitMs: 15_000 });
}

export async function writeInstallRecord(realPath: string, record: InstallRecord, home: HomeSource): Promise<void> {
  await replaceFile(recordPath(realPath, home), `${JSON.stringify(record)}\n`);
}

export async function dropInstallRecord(realPath: string, home: HomeSource): Promise<void> {
  await rm(recordPath(realPath, home), { force: true });
}

function recordPath(realPath: string, home: HomeSource): string {
  return join(statePath(home), "installs", recordName(realPath));
}

function recordName(realPath: string): string {
  return `${settingsKey(realPath)}.json`;
}

const keep = 10;

/** What a settings file is called in our own folder. */
export function settingsKey(realPath: string): string {
  return sha256(realPath).slice(0, 32);
}

/** Keeps the bytes of a settings file in the user's state folder, the last ten of each; gives the backup's path. */
export async function backUpSettings(realPath: string, text: string, home: HomeSource, now: Date): Promise<string> {
  const folder = await openState(["backups", settingsKey(realPath)], home);
  const hash = sha256(text).slice(0, 8);
  const path = join(folder, `${now.toISOString().replaceAll(":", "-")}-${hash}.json`);
  await replaceFile(path, text);
  // Whatever the clock says, the one that was just written is not the oldest.
  const others = (await readdir(folder)).filter((name) => name.endsWith(".json") && join(folder, name) !== path).sort();
  for (const name of others.slice(0, 1 - keep)) await rm(join(folder, name), { force: true });
  return path;
}

/** What was installed, for everybody who has the folder. It holds no secret, and its paths count from its folder's parent. */
export interface LockFile {
  readonly version: 1;
  /** ISO time. */
  readonly installedAt: string;
  readonly hooksPath: string;
  /** `PreToolUse:Bash`, `PostToolUse:*`, `Stop` */
  readonly hooksRegistered: readonly string[];
  readonly settingsFile: string;
  /** Program and arguments, without what depends on the event. */
  readonly command: readonly string[];
  /** As asked for. */
  readonly transport: AskedTransport;
  /** SHA-256 over the hooks file and everything it imports from its own tree. */
  readonly contentHash: string;
  /** Present when every event was asked for. */
  readonly allEvents?: true;
}

export const lockVersion = 1;

/** Undefined when there is none. Contract: one that a newer version wrote, or that says nothing we know, is a `Problem`. */
export async function readLockFile(path: string): Promise<LockFile | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const value = parsed(text, path);
  const { version } = value;
  if (typeof version === "number" && version > lockVersion) {
    const message = `${path} was written by a newer Hookline (version ${version}). Update this one; the file was left as it is.`;
    throw new Problem("install/newer-lock", message, { about: { path, version } });
  }
  if (!isLockFile(value)) throw bad(path, "it is not a lock file");
  return value;
}

/** Writes it unless it says the same already, whenever that was. True when it was written. Others never may write it. */
export async function writeLockFile(path: string, lock: LockFile, mode = 0o644): Promise<boolean> {
  const old = await readLockFile(path);
  if (old !== undefined && isDeepStrictEqual({ ...old, installedAt: "" }, { ...lock, installedAt: "" })) return false;
  await replaceFile(path, `${JSON.stringify(lock, null, 2)}\n`, { mode });
  const { mode: now } = await lstat(path);
  if ((now & 0o022) !== 0) await chmod(path, now & 0o7755);
  return true;
}

/** A path as the lock file writes it. */
export function toLockPath(lockFile: string, path: string): string {
  return relative(base(lockFile), path).split(sep).join("/");
}

export function fromLockPath(lockFile: string, path: string): string {
  return resolve(base(lockFile), path);
}

/** A link is not followed: it could make us print the content of another file. */
async function textOf(path: string): Promise<string | undefined> {
  const isMissing = ["ENOENT", "ENOTDIR"];
  const found = await ignoringErrors(isMissing, lstat(path));
  if (found?.isSymbolicLink()) throw bad(path, "it is a link");
  // A pipe without a writer would block forever.
  if (found?.isFile() === false) throw bad(path, "it is not a regular file");
  const file = await ignoringErrors(isMissing, nodeFs.open(path, openFlags.reading));
  try {
    return file && (await readWholeFile(file)).toString("utf8");
  } finally {
    await file?.close();
  }
}

function base(lockFile: string): string {
  return dirname(dirname(lockFile));
}

function parsed(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw bad(path, messageOf(cause), cause);
  }
  throw bad(path, "it is not an object");
}

function isLockFile(value: object): value is LockFile {
  const { version, installedAt, hooksPath, hooksRegistered, settingsFile, command, transport, contentHash } =
    value as Partial<Record<keyof LockFile, unknown>>;
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((one) => typeof one === "string");
  return (
    version === lockVersion &&
    [installedAt, hooksPath, settingsFile, contentHash].every((one) => typeof one === "string") &&
    isTexts(hooksRegistered) &&
    isTexts(command) &&
    askedTransports.includes(transport as AskedTransport)
  );
}

function bad(path: string, why: string, cause?: unknown): Problem {
  const message = `${path} cannot be used: ${why}. Remove it and run hookline install again.`;
  return new Problem("install/bad-lock", message, { about: { path }, cause });
}
