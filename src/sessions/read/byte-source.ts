import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { sha256 } from "../../files/internal.ts";
import { messageOf, Problem, plainLine } from "../../protocol/internal.ts";
import { openGzip } from "./gzip-source.ts";

/** Which file on disk: a path can name another one tomorrow. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** An open file as bytes at offsets; an archived file (`.gz`) is seen through its compression. */
export interface FileBytes extends FileIdentity {
  /** Contract: fills `into` from `offset` and gives the count; fewer bytes than fit only at the end of the file. */
  read(into: Uint8Array, offset: number): Promise<number>;
  close(): Promise<void>;
  /** An archive that ends in the middle, known once its end was read: more was written to it than is there. */
  readonly isCut?: boolean;
}

/** Opens read-only and takes no lock: the file may grow while it is read. */
export async function openBytes(path: string): Promise<FileBytes> {
  try {
    return path.endsWith(".gz") ? await openGzip(path) : await openPlain(path);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

/** Only files are opened: a pipe or a device under a transcript's name would keep us waiting. */
export async function openTranscriptFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
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

/** Fills `into` from `offset` and returns the count; fewer bytes than fit only at the end of the file. */
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

/** As `openTranscriptFile`, with a problem that names the path. */
export async function openReadable(path: string): Promise<FileHandle> {
  return openTranscriptFile(path).catch((cause: unknown) => {
    throw unreadableFile(path, cause);
  });
}

/** The exact bytes of one line, read again from disk. Throws `sessions/changed` when the file is no longer the one that was read. */
export function readLineBytes(path: string, identity: FileIdentity, offset: number, length: number): Buffer {
  const bytes = path.endsWith(".gz")
    ? gzipSlice(path, identity, offset, length)
    : plainSlice(path, identity, offset, length);
  if (bytes?.length === length) return bytes;
  throw new Problem(
    "sessions/changed",
    `${plainLine(path)} was replaced or cut since it was read. Open the session again.`,
    { about: { path, offset, length } },
  );
}

function plainSlice(path: string, identity: FileIdentity, offset: number, length: number): Buffer | undefined {
  const descriptor = openForReading(path);
  try {
    const { dev, ino } = fstatSync(descriptor);
    if (dev !== identity.dev || ino !== identity.ino) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    return readFullySync(descriptor, bytes, offset) === length ? bytes : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function openForReading(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

function gzipSlice(path: string, identity: FileIdentity, offset: number, length: number): Buffer | undefined {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    if (dev !== identity.dev || ino !== identity.ino) return undefined;
    const file = [dev, ino, size, mtimeMs].join(" ");
    let bytes = lastUnpacked?.file === file ? lastUnpacked.bytes.deref() : undefined;
    if (bytes === undefined) {
      bytes = unpacked(readFileSync(path));
      lastUnpacked = { file, bytes: new WeakRef(bytes) };
    }
    // A copy, so that one line does not keep all of the file in memory.
    return Buffer.from(bytes.subarray(offset, offset + length));
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

/** The archived file that was unpacked last, for as long as there is room: lines are asked for one after the other. */
let lastUnpacked: { readonly file: string; readonly bytes: WeakRef<Buffer> } | undefined;

/** A member that was cut off while it was written gives what came before, as in `openGzip`. */
function unpacked(bytes: Buffer): Buffer {
  // Few have archives: what unpacks them is loaded for those alone.
  const { gunzipSync, constants: zlib } = process.getBuiltinModule("node:zlib");
  return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH });
}

/** The problem for a file that cannot be opened. */
export function unreadableFile(path: string, cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const reason = messageOf(cause);
  return new Problem("sessions/unreadable-file", plainLine(`${path} cannot be read: ${reason}`), {
    about: { path },
    cause,
  });
}

/** A byte order mark, which some editors put before the first line. */
export function hasBom(bytes: Buffer, at: number = 0): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

/** Nothing but blanks from one place to another. */
export function isBlankLine(bytes: Buffer, from: number = 0, to: number = bytes.length): boolean {
  for (let at = from; at < to; at++) if (!isBlank(bytes[at])) return false;
  return true;
}

export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/**
 * Where a reader stopped: always one past a newline. `head` names the bytes the file began with, so that a file which
 * was replaced under the same name and inode is noticed.
 */
export interface Cursor {
  readonly dev: number;
  readonly ino: number;
  readonly offset: number;
  /** `<count>-<hash>` over the first bytes of the file: 1 KiB of them, or as many as the cursor has passed. */
  readonly head: string;
  /** Lines that end before `offset`, blank ones included. */
  readonly lines: number;
}

const headBytes = 1024;

/** The head of a file that has been read up to `offset`. */
export async function headHash(source: FileBytes, offset: number): Promise<string> {
  const bytes = Buffer.alloc(Math.min(headBytes, offset));
  const count = await source.read(bytes, 0);
  return `${count}-${sha256(bytes.subarray(0, count)).slice(0, 16)}`;
}

/** True when the bytes before the cursor are still those that were read: same file, not shorter, same head. */
export async function isCursorValid(source: FileBytes, cursor: Cursor): Promise<boolean> {
  if (source.dev !== cursor.dev || source.ino !== cursor.ino) return false;
  if (cursor.offset > 0 && (await source.read(Buffer.alloc(1), cursor.offset - 1)) === 0) return false;
  return (await headHash(source, cursor.offset)) === cursor.head;
}
