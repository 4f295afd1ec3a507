import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { Problem } from "../protocol/internal.ts";

/**
 * Everything our own files ask of the disk. Store, editor, lock and replacement use this one interface,
 * so a test can make operation k fail, or be the last one before a power cut.
 */
export interface Fs {
  open(path: string, flags: number, mode?: number): Promise<FsFile>;
  lstat(path: string): Promise<Stats>;
  mkdir(path: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Contract: fails with EEXIST when anything is at `to`, a link included. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  /** Contract: once resolved, names made, moved or removed in this folder outlive a power cut. */
  syncFolder(path: string): Promise<void>;
}

/** An open file. `write` goes to the end when the file was opened for appending, else behind the last write. */
export interface FsFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  write(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  stat(): Promise<Stats>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  close(): Promise<void>;
}

/** Not imported: a hook process loads this module, and `fs.promises` loads readline and watchers, a thirtieth of its start. */
const promises = () => process.getBuiltinModule("node:fs").promises;

export const nodeFs: Fs = {
  open: (path, flags, mode) => promises().open(path, flags, mode),
  lstat: (path) => promises().lstat(path),
  mkdir: async (path, mode) => void (await promises().mkdir(path, { mode })),
  rename: (from, to) => promises().rename(from, to),
  link: (from, to) => promises().link(from, to),
  unlink: (path) => promises().unlink(path),
  readdir: (path) => promises().readdir(path),
  realpath: (path) => promises().realpath(path),
  readlink: (path) => promises().readlink(path),
  syncFolder: (path) => syncFolder(promises().open(path, constants.O_RDONLY)),
};

/** Windows has no `O_NOFOLLOW`; making a link there takes rights that a stranger does not have. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/** A pipe in the place of a file must not hold us until its other end is opened. Windows has no such pipes. */
const noWait = constants.O_NONBLOCK ?? 0;

/** The ways we open files. None of them follows a link at the last step of the path, and none waits. */
export const openFlags: { readonly reading: number; readonly creating: number; readonly appending: number } = {
  reading: constants.O_RDONLY | noFollow | noWait,
  /** A new file; anything that is already there is an error. */
  creating: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
  /** The end of a file that may not exist yet; it can also be read, to look at its last byte. */
  appending: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow | noWait,
};

export async function readWholeFile(file: FsFile): Promise<Buffer> {
  const { size } = await file.stat();
  const parts: Buffer[] = [];
  let length = 0;
  // One byte more than the size, so that an ordinary file ends with the first read and a growing one is still read whole.
  for (let room = size + 1; ; room = 64 * 1024) {
    const part = Buffer.allocUnsafe(room);
    const { bytesRead } = await file.read(part, 0, room, length);
    if (bytesRead > 0) parts.push(part.subarray(0, bytesRead));
    length += bytesRead;
    if (bytesRead < room && (bytesRead === 0 || length >= size)) return Buffer.concat(parts, length);
  }
}

/** Contract: all of `bytes` is written, or it throws; a disk that takes a part is asked again for the rest. */
export async function writeWholeFile(file: FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    if (bytesWritten === 0) throw Object.assign(new Error("the disk took no more bytes"), { code: "ENOSPC" });
    done += bytesWritten;
  }
}

/** Writes a new file that only this user can read. Contract: anything that is already there is an error. */
export async function createFile(path: string, bytes: Uint8Array | string, fs: Fs): Promise<void> {
  const file = await fs.open(path, openFlags.creating, 0o600);
  await closeAfter(file, () => writeWholeFile(file, Buffer.from(bytes)));
}

/** What `work` returns; the file is closed then. If both fail, the error of `work` is thrown. */
export async function closeAfter<T>(file: Pick<FsFile, "close">, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await Promise.allSettled([file.close()]);
    throw error;
  }
  await file.close();
  return result;
}

/** What `work` returns for the file at `path`, which is open meanwhile. */
export function withFileSync<T>(path: string, flags: number, work: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags, 0o600);
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export async function syncFolder(opening: Promise<Pick<FsFile, "sync" | "close">>): Promise<void> {
  // Windows cannot open a folder, and some network file systems cannot sync one: there is nothing more we could do.
  const folder = await ignoringErrors(["EPERM", "EISDIR", "EACCES"], opening);
  if (folder === undefined) return;
  await closeAfter(folder, () => ignoringErrors(["EINVAL", "EPERM", "ENOTSUP"], folder.sync()));
}

/**
 * Small operations are done at once instead of in another thread, which on a busy machine takes many times as long. For a few small
 * files that a user waits for. A sync of the disk does not hold the thread.
 */
export const syncBackedFs: Fs = {
  open: async (path, flags, mode) => fileOf(openSync(path, flags, mode)),
  lstat: async (path) => lstatSync(path),
  mkdir: async (path, mode) => void mkdirSync(path, { mode }),
  rename: async (from, to) => renameSync(from, to),
  link: async (from, to) => linkSync(from, to),
  unlink: async (path) => unlinkSync(path),
  readdir: async (path) => readdirSync(path),
  realpath: async (path) => realpathSync(path),
  readlink: async (path) => readlinkSync(path),
  syncFolder: (path) => syncFolder(syncBackedFs.open(path, constants.O_RDONLY)),
};

function fileOf(file: number): FsFile {
  return {
    read: async (buffer, offset, length, position) => ({ bytesRead: readSync(file, buffer, offset, length, position) }),
    write: async (buffer, offset, length) => ({ bytesWritten: writeSync(file, buffer, offset, length) }),
    truncate: async (length) => ftruncateSync(file, length),
    sync: () => synced(fsync, file),
    datasync: () => synced(fdatasync, file),
    stat: async () => fstatSync(file),
    chmod: async (mode) => fchmodSync(file, mode),
    chown: async (uid, gid) => fchownSync(file, uid, gid),
    close: async () => closeSync(file),
  };
}

function synced(sync: typeof fsync, file: number): Promise<void> {
  return new Promise((resolve, reject) => sync(file, (error) => (error ? reject(error) : resolve())));
}

/** Something at our path that we do not touch. `why` follows the path. */
export function notOurs(path: string, why: string, cause?: unknown): Problem {
  return new Problem("file/not-ours", `${path} ${why}`, { about: { path }, cause });
}

/** Whether an error is about a file of ours that cannot be used as it is: a `Problem` with a code `file/…`. */
export function isFileProblem(error: unknown): error is Problem {
  return error instanceof Problem && error.code.startsWith("file/");
}

/** The system's name for what went wrong, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The value, or undefined when the error is one of `codes`; any other error is thrown. */
export async function ignoringErrors<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Whether the work is done: false when the error is one of `codes`; any other error is thrown. */
export async function succeedsUnless(codes: readonly string[], work: Promise<unknown>): Promise<boolean> {
  return (
    (await ignoringErrors(
      codes,
      work.then(() => true),
    )) === true
  );
}

/** `ignoringErrors` for work that is done at once. */
export function ignoringErrorsSync<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** The SHA-256 of a text or of bytes, in hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  // Not imported: a hook process loads this module and seldom needs a hash.
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}
