import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { realFile } from "../../engine/internal.ts";
import {
  closeAfter,
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
import { isObject, isStringList, messageOf, Problem, parseObject } from "../../protocol/internal.ts";
import { type AskedTransport, askedTransports, type HttpConsent } from "../plan/install-places.ts";
import type { BeforeInstall, PlannedEntry } from "../plan/own-entries.ts";

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
  /** The entries were there before the first install, as in a clone: `before` is the text without them. */
  readonly isCut?: boolean;
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

export type InstallNotes = Awaited<ReturnType<typeof installNotes>>;

const maxBackups = 10;

/** This user's notes about one settings file: the record of its install, and backups. */
export async function installNotes(settingsFile: string, home: HomeSource) {
  const real = await realFile(settingsFile);
  const key = sha256(real).slice(0, 32);
  const name = `${key}.json`;
  const path = join(statePath(home), "installs", name);
  return {
    /** The real path of the settings file. */
    real,
    backups: join(statePath(home), "backups", key),
    /** Undefined when this user has not installed anything there, or another version did. */
    async read(): Promise<InstallRecord | undefined> {
      const bytes = await readState(["installs", name], home);
      // Undefined when it is damaged: entries are then known by the lock file, and cut out one by one.
      const value = bytes && (parseObject(bytes.toString("utf8")) as InstallRecord | undefined);
      return value?.version === 1 ? value : undefined;
    },
    write: (record: InstallRecord) => replaceFile(path, `${JSON.stringify(record)}\n`),
    drop: () => rm(path, { force: true }),
    /** One install or uninstall of a settings file at a time: each builds on what the one before it noted. */
    async exclusively<T>(work: () => Promise<T>): Promise<T> {
      await openState(["installs"], home);
      return withLock(path, work, { waitMs: 15_000 });
    },
    /** Keeps the bytes of the settings file, the last ten of each; gives the backup's path. */
    async backUp(text: string, now: Date): Promise<string> {
      const folder = await openState(["backups", key], home);
      const backup = join(folder, `${now.toISOString().replaceAll(":", "-")}-${sha256(text).slice(0, 8)}.json`);
      await replaceFile(backup, text);
      // Whatever the clock says, the one that was just written is not the oldest.
      const others = (await readdir(folder)).filter((one) => one.endsWith(".json") && join(folder, one) !== backup);
      for (const one of others.sort().slice(0, 1 - maxBackups)) await rm(join(folder, one), { force: true });
      return backup;
    },
  };
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
  /** Present when install created the settings file. */
  readonly created?: true;
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
  return file && closeAfter(file, async () => (await readWholeFile(file)).toString("utf8"));
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
  return (
    version === lockVersion &&
    isStringList([installedAt, hooksPath, settingsFile, contentHash]) &&
    isStringList(hooksRegistered) &&
    isStringList(command) &&
    askedTransports.includes(transport as AskedTransport)
  );
}

function bad(path: string, why: string, cause?: unknown): Problem {
  const message = `${path} cannot be used: ${why}. Remove it and run hookline install again.`;
  return new Problem("install/bad-lock", message, { about: { path }, cause });
}
