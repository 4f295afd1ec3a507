import { chmod, lstat } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { errorCode, nodeFs, openFor, readAll, replaceFile, unless } from "../../files/internal.ts";
import { isObject, messageOf, Problem } from "../../protocol/index.ts";
import { type AskedTransport, askedTransports } from "../plan/install-scope.ts";

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
  if (!isLockFile(value)) throw bad(path, "it does not hold what a lock file holds");
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
export function lockedPath(lockFile: string, path: string): string {
  return relative(base(lockFile), path).split(sep).join("/");
}

export function unlockedPath(lockFile: string, path: string): string {
  return resolve(base(lockFile), path);
}

/** A link is not followed: whoever put it there would have us say what another file holds. */
async function textOf(path: string): Promise<string | undefined> {
  const found = await unless(["ENOENT", "ENOTDIR"], lstat(path));
  // A pipe with nobody at its other end would hold us for ever.
  if (found !== undefined && !found.isFile() && !found.isSymbolicLink()) throw bad(path, "it is not a regular file");
  let file: Awaited<ReturnType<typeof nodeFs.open>>;
  try {
    file = await nodeFs.open(path, openFor.reading);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    if (errorCode(error) === "ELOOP") throw bad(path, "it is a link");
    throw error;
  }
  try {
    return (await readAll(file)).toString("utf8");
  } finally {
    await file.close();
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
  throw bad(path, "it holds no object");
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
  return new Problem("install/bad-lock", message, { about: { path }, ...(cause === undefined ? {} : { cause }) });
}
