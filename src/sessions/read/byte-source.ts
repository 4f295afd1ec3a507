import { constants, fstatSync, readFileSync, readSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { sha256, withFileSync } from "../../files/internal.ts";
import { Problem, plainLine } from "../../protocol/internal.ts";
import { openGzip, unpack, unreadableFile } from "./gzip-source.ts";

/** Identifies a file on disk. The same path may name another file later. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** An open file, read by offset. Offsets of an archived file (`.gz`) refer to its unpacked bytes. */
export interface FileBytes extends FileIdentity {
  /** Contract: fills `into` from `offset` and returns the count, which is smaller than `into` only at the end of the file. */
  read(into: Uint8Array, offset: number): Promise<number>;
  close(): Promise<void>;
  /** The archive was cut off. Known once its end has been read. */
  readonly isCut?: boolean;
}

/** Opens read-only, without a lock: the file may grow while it is read. */
export async function openBytes(path: string): Promise<FileBytes> {
  try {
    return path.endsWith(".gz") ? await openGzip(path) : await openPlain(path);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Rejects anything but a regular file: reading from a pipe or a device could block. */
export async function openTranscriptFile(path: string): Promise<FileHandle> {
  const handle = await open(path, withoutWaiting);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error("it is not a file");
}

async function openPlain(path: string): Promise<FileBytes> {
  const handle = await openTranscriptFile(path);
  const { dev, ino } = await handle.stat();
  return {
    dev,
    ino,
    read: (into, offset) => readFully(handle, into, offset),
    close: () => handle.close(),
  };
}

/** Contract: as `FileBytes.read`. */
export async function readFully(handle: FileHandle, into: Uint8Array, offset: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await handle.read(into, filled, into.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

export function readFullySync(descriptor: number, into: Uint8Array, offset: number): number {
  let filled = 0;
  while (filled < into.length) {
    const count = readSync(descriptor, into, filled, into.length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** As `openTranscriptFile`, but throws a problem that names the path. */
export async function openReadable(path: string): Promise<FileHandle> {
  return openTranscriptFile(path).catch((cause: unknown) => {
    throw unreadableFile(path, cause);
  });
}

/** Reads the exact bytes of one line again. Throws `sessions/changed` when the file was replaced or cut since. */
export function readLineBytes(path: string, identity: FileIdentity, offset: number, length: number): Buffer {
  const read = path.endsWith(".gz") ? gzipSlice : plainSlice;
  let bytes: Buffer | undefined;
  try {
    bytes = read(path, identity, offset, length);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
  if (bytes?.length === length) return bytes;
  const message = `${plainLine(path)} was replaced or cut since it was read. Open the session again.`;
  throw new Problem("sessions/changed", message, { about: { path, offset, length } });
}

function plainSlice(path: string, identity: FileIdentity, offset: number, length: number): Buffer | undefined {
  return withFileSync(path, withoutWaiting, (descriptor) => {
    const { dev, ino } = fstatSync(descriptor);
    if (dev !== identity.dev || ino !== identity.ino) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readFullySync(descriptor, bytes, offset));
  });
}

function gzipSlice(path: string, identity: FileIdentity, offset: number, length: number): Buffer | undefined {
  const { dev, ino, size, mtimeMs } = statSync(path);
  if (dev !== identity.dev || ino !== identity.ino) return undefined;
  const file = [dev, ino, size, mtimeMs].join(" ");
  let bytes = lastUnpacked?.file === file ? lastUnpacked.bytes.deref() : undefined;
  if (bytes === undefined) {
    bytes = unpack(readFileSync(path));
    lastUnpacked = { file, bytes: new WeakRef(bytes) };
  }
  // A copy, so that one line does not keep the whole file in memory.
  return Buffer.from(bytes.subarray(offset, offset + length));
}

/** The archived file that was unpacked last: callers usually read many lines of one file. */
let lastUnpacked: { readonly file: string; readonly bytes: WeakRef<Buffer> } | undefined;

/** Whether a byte order mark is at this position; some editors put one before the first line. */
export function hasBom(bytes: Buffer, at: number = 0): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

/** Whether the line from `from` to `to` consists of blanks. */
export function isBlankLine(bytes: Buffer, from: number = 0, to: number = bytes.length): boolean {
  for (let at = from; at < to; at++) if (!isBlank(bytes[at])) return false;
  return true;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/**
 * Where a reader stopped: always one past a newline. `head` is a hash of the first bytes of the file. It detects a file that was
 * replaced under the same name and inode.
 */
export interface Cursor extends FileIdentity {
  readonly offset: number;
  /** `<count>-<hash>` of the first KiB of the file, or of the bytes before `offset` if those are fewer. */
  readonly head: string;
  /** Lines that end before `offset`, blank ones included. */
  readonly lines: number;
}

const headBytes = 1024;

/** The `head` of a cursor at `offset`. */
export async function headHash(source: FileBytes, offset: number): Promise<string> {
  const bytes = Buffer.alloc(Math.min(headBytes, offset));
  const count = await source.read(bytes, 0);
  return `${count}-${sha256(bytes.subarray(0, count)).slice(0, 16)}`;
}

/** True when the file is still the one that was read: same identity, not shorter than the cursor, same head. */
export async function isCursorValid(source: FileBytes, cursor: Cursor): Promise<boolean> {
  if (source.dev !== cursor.dev || source.ino !== cursor.ino) return false;
  if (cursor.offset > 0 && (await source.read(Buffer.alloc(1), cursor.offset - 1)) === 0) return false;
  return (await headHash(source, cursor.offset)) === cursor.head;
}
