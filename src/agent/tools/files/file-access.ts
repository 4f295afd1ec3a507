import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { closeAfter, errorCode, ignoringErrors, openFlags, sha256, tempName } from "../../../files/internal.ts";

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

/** The bytes and the mode of a file; undefined when there is no file. A folder, a device or a file that is too large is an error. */
export async function readVersion(path: string): Promise<FileVersion | undefined> {
  const file = await ignoringErrors(["ENOENT", "ENOTDIR"], openNoFollow(path));
  return file && versionOf(file, path);
}

/**
 * Replaces a file atomically: a reader sees the old or the new content. Creates folders and keeps the mode.
 * `expect`: the digest the file must still have; null if it must not exist. Returns false, and writes nothing, when that is not so.
 */
export async function replaceIfUnchanged(path: string, text: string, expect: string | null): Promise<boolean> {
  const folder = await holdOrMakeFolder(dirname(path));
  const name = basename(path);
  const temp = basename(tempName(path));
  const current = async () => {
    const file = await ignoringErrors(["ENOENT"], openIn(folder, name));
    return file && versionOf(file, path);
  };
  const isExpected = (version: FileVersion | undefined) => (version ? sha256(version.bytes) : null) === expect;
  try {
    const old = await current();
    if (!isExpected(old)) return false;
    const file = await open(folder.at(temp), openFlags.creating, old?.mode ?? 0o666);
    await closeAfter(file, async () => {
      await file.writeFile(text);
      if (old !== undefined) await file.chmod(old.mode);
    });
    if (!isExpected(await current())) return false;
    await rename(folder.at(temp), folder.at(name));
    return true;
  } finally {
    await rm(folder.at(temp), { force: true });
    await folder.close();
  }
}

/** A system error as the model gets it: with the path that it knows, not the one that we opened. */
export function errorText(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/'\/proc\/self\/fd\/[^']*'(?: -> '[^']*')?/, `'${path}'`);
}

export interface FileVersion {
  readonly bytes: Buffer;
  readonly mode: number;
}

const maxBytes = 64 * 2 ** 20;

/** Closes the file. */
async function versionOf(file: FileHandle, path: string): Promise<FileVersion> {
  return closeAfter(file, async () => {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a file.`);
    if (stat.size > maxBytes) throw new Error(`${path} has ${stat.size} bytes; at most ${maxBytes} can be handled.`);
    return { bytes: await file.readFile(), mode: stat.mode & 0o7777 };
  });
}

function openIn(folder: HeldFolder, name: string): Promise<FileHandle> {
  return open(folder.at(name), openFlags.reading);
}

/** The error for the model when there is no such file. */
export function fileMissing({ cwd }: { readonly cwd: () => string }): string {
  return `File does not exist. Note: your current working directory is ${cwd()}.`;
}

/** A folder that is held open: work in it stays in this folder, even if a folder above it is renamed or replaced. */
interface HeldFolder {
  /** The path of a name in the folder, valid while it is held. */
  at(name: string): string;
  close(): Promise<void>;
}

/**
 * Holds a folder, if the path leads to it without any link; a folder that was replaced is an error.
 * Where the system has no path for a folder that is held open, the path is only checked again.
 */
async function holdFolder(folder: string): Promise<HeldFolder> {
  if (process.platform !== "linux") {
    if ((await realpath(folder)) !== folder) throw folderReplaced(folder);
    return { at: (name) => join(folder, name), close: () => Promise.resolve() };
  }
  // Synchronous: three trips through the thread pool would take longer than the rest of a call of Read.
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const own = `/proc/self/fd/${held}`;
  if (readlinkSync(own) === folder) return { at: (name) => `${own}/${name}`, close: async () => closeSync(held) };
  closeSync(held);
  throw folderReplaced(folder);
}

/** Like `holdFolder`, but creates missing folders. */
async function holdOrMakeFolder(folder: string): Promise<HeldFolder> {
  const there = await ignoringErrors(["ENOENT"], holdFolder(folder));
  if (there !== undefined) return there;
  const above = await holdOrMakeFolder(dirname(folder));
  await ignoringErrors(["EEXIST"], mkdir(above.at(basename(folder)))).finally(() => above.close());
  return holdFolder(folder);
}

function folderReplaced(folder: string): Error {
  return new Error(`${folder} is no longer the folder it was when the call was judged. Nothing was done.`);
}

/** What a thread has read, by real path: only a file that was read and is unchanged may be overwritten. */
export type ReadState = Map<string, ReadRecord>;

/** `digest` is the SHA-256 of the file's bytes. The model also knows a file that it wrote, but has not seen its line numbers. */
export type ReadRecord =
  | { readonly by: "reading"; readonly digest: string; readonly offset?: number; readonly limit?: number }
  | { readonly by: "writing"; readonly digest: string };
