import { createHash } from "node:crypto";
import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, ignoringErrors, tempName } from "../../../files/internal.ts";

/** Opens a file at its real path without following links and without blocking: a pipe without a writer would block forever. */
export async function openNoFollow(path: string): Promise<FileHandle> {
  const folder = await holdFolder(dirname(path));
  try {
    return await openIn(folder, basename(path));
  } catch (error) {
    throw errorCode(error) === "ELOOP" ? new Error(`${path} became a link after the call was judged.`) : error;
  } finally {
    await folder.close();
  }
}

/** Everything in a file, or nothing when there is no file. A folder or a device is an error. */
export async function readWholeFile(path: string, mostBytes: number): Promise<Buffer | undefined> {
  const file = await ignoringErrors(["ENOENT", "ENOTDIR"], openNoFollow(path));
  if (file === undefined) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a file.`);
    if (stat.size > mostBytes) throw new Error(`${path} has ${stat.size} bytes; at most ${mostBytes} can be handled.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file atomically: a reader sees the old or the new content. Creates folders and keeps the mode.
 * `expect` is the digest it must still have, null when there must be none yet. `changed`: it was not so, and was left alone.
 */
export async function replaceIfUnchanged(
  path: string,
  text: string,
  expect: string | null,
): Promise<"written" | "changed"> {
  const folder = await holdOrMakeFolder(dirname(path));
  const name = basename(path);
  const temp = basename(tempName(path));
  try {
    const old = await readVersion(folder, name);
    if ((old?.digest ?? null) !== expect) return "changed";
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const file = await open(folder.at(temp), flags, old?.mode ?? 0o666);
    try {
      await file.writeFile(text);
      if (old !== undefined) await file.chmod(old.mode);
    } finally {
      await file.close();
    }
    if (((await readVersion(folder, name))?.digest ?? null) !== expect) return "changed";
    await rename(folder.at(temp), folder.at(name));
    return "written";
  } finally {
    await rm(folder.at(temp), { force: true });
    await folder.close();
  }
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A system error in the words the model gets; the path as it knows it, not as we opened it. */
export function errorText(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/'\/proc\/self\/fd\/[^']*'(?: -> '[^']*')?/, `'${path}'`);
}

interface FileVersion {
  readonly digest: string;
  readonly mode: number;
}

async function readVersion(folder: HeldFolder, name: string): Promise<FileVersion | undefined> {
  const file = await ignoringErrors(["ENOENT"], openIn(folder, name));
  if (file === undefined) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${name} is not a file.`);
    return { digest: sha256Of(await file.readFile()), mode: stat.mode & 0o7777 };
  } finally {
    await file.close();
  }
}

function openIn(folder: HeldFolder, name: string): Promise<FileHandle> {
  return open(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** A folder held open, so that what is done in it is done in this very folder, whatever becomes of the names above it. */
export interface HeldFolder {
  /** The path of a name in the folder, good while it is held. */
  at(name: string): string;
  close(): Promise<void>;
}

/**
 * Holds a folder, if the path leads to it without any link; a folder that is another one by now is an error.
 * Where the system cannot name a folder that is held open, the path is looked at once more instead.
 */
export async function holdFolder(folder: string): Promise<HeldFolder> {
  if (process.platform !== "linux") {
    if ((await realpath(folder)) !== folder) throw moved(folder);
    return { at: (name) => join(folder, name), close: () => Promise.resolve() };
  }
  // At once: three trips through the thread pool would take longer than all else that a call of Read does.
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const own = `/proc/self/fd/${held}`;
  if (readlinkSync(own) === folder) return { at: (name) => `${own}/${name}`, close: async () => closeSync(held) };
  closeSync(held);
  throw moved(folder);
}

/** The same; creates missing folders. */
export async function holdOrMakeFolder(folder: string): Promise<HeldFolder> {
  const there = await ignoringErrors(["ENOENT"], holdFolder(folder));
  if (there !== undefined) return there;
  const above = await holdOrMakeFolder(dirname(folder));
  try {
    await mkdir(above.at(basename(folder)));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    await above.close();
  }
  return holdFolder(folder);
}

function moved(folder: string): Error {
  return new Error(`${folder} is no longer the folder it was when the call was judged. Nothing was done.`);
}

/** What a thread has read and what it was then, by real path: only what was read, and is still the same, may be written over. */
export interface ReadState {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord): void;
  /** After compaction the model no longer knows the files. */
  clear(): void;
}

/** `digest` is the SHA-256 of the file's bytes. What the model wrote itself it knows too, but was not shown with numbers. */
export type ReadRecord =
  | { readonly by: "reading"; readonly digest: string; readonly offset?: number; readonly limit?: number }
  | { readonly by: "writing"; readonly digest: string };

export function openReadState(): ReadState {
  const records = new Map<string, ReadRecord>();
  return {
    get: (path) => records.get(path),
    set: (path, record) => void records.set(path, record),
    clear: () => records.clear(),
  };
}
