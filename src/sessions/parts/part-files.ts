import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync, constants as zlib } from "node:zlib";
import { liesUnder } from "../safe-paths.ts";
import { isSafeId } from "../session-id.ts";

/** A file that a line names and that cannot be had. */
export interface NoPart {
  readonly why: string;
  /** There is no such file, neither as it is nor compressed. */
  readonly missing?: true;
}

/** A file of more bytes than this is not taken into memory. */
export const largestPartBytes: number = 256 * 1024 * 1024;

/** True for the names that large parts and long outputs have below their session's folder. */
export function isPartName(file: string): boolean {
  const [folder, name, ...more] = file.split("/");
  return (folder === "blobs" || folder === "tool-results") && more.length === 0 && name !== undefined && isSafeId(name);
}

/**
 * The bytes of a file that a line names, `blobs/…` or `tool-results/…` below the folder of its session; an archived session keeps it
 * compressed. Names come from files that anybody may have written: links that leave the folder, pipes, devices and files that are
 * larger than `atMost` are not read. Contract: never throws, never waits.
 */
export function readPart(sessionFolder: string, file: string, atMost: number = largestPartBytes): Buffer | NoPart {
  if (!isPartName(file)) return { why: "names no file of this session" };
  const plain = readInside(sessionFolder, file, atMost);
  if (!("missing" in plain)) return plain;
  const packed = readInside(sessionFolder, `${file}.gz`, atMost + 1024);
  if ("missing" in packed) return plain;
  return "why" in packed ? packed : unpacked(packed, atMost);
}

/**
 * The first bytes of such a file, at least `startBytes` of them where there are so many, for those who show a beginning. What was read
 * is not held against a hash.
 */
export function readPartStart(sessionFolder: string, file: string, sizeBytes: number): Buffer | NoPart {
  if (!isPartName(file)) return { why: "names no file of this session" };
  const plain = readInside(sessionFolder, file, sizeBytes, startBytes);
  if (!("missing" in plain)) return plain;
  const packed = readInside(sessionFolder, `${file}.gz`, largestPartBytes, packedStartBytes);
  if ("missing" in packed) return plain;
  return "why" in packed ? packed : unpackedStart(packed);
}

const startBytes = 16 * 1024;
/** Unpacks to no more than a thousand times its size. */
const packedStartBytes = 8 * 1024;

function readInside(sessionFolder: string, file: string, atMost: number, wanted?: number): Buffer | NoPart {
  try {
    const folder = realpathSync(sessionFolder);
    const real = realpathSync(join(sessionFolder, file));
    const home = join(realpathSync(dirname(sessionFolder)), basename(sessionFolder));
    if (folder !== home || !liesUnder(folder, real)) return { why: "leads out of the session's folder" };
    return readPlainFile(real, atMost, wanted);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { why: String(error), ...(code === "ENOENT" || code === "ENOTDIR" ? { missing: true } : {}) };
  }
}

/** A pipe is opened without waiting for its writer, and then seen to be no file. */
function readPlainFile(path: string, atMost: number, wanted: number = atMost): Buffer | NoPart {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { why: "is not a file" };
    if (stat.size > atMost) return { why: `has ${stat.size} bytes, more than ${atMost}` };
    const bytes = Buffer.alloc(Math.min(stat.size, wanted));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
}

function unpacked(bytes: Buffer, atMost: number): Buffer | NoPart {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(atMost, 1) });
  } catch (error) {
    return { why: `cannot be unpacked: ${String(error)}` };
  }
}

function unpackedStart(bytes: Buffer): Buffer | NoPart {
  try {
    return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH }).subarray(0, startBytes);
  } catch (error) {
    return { why: `cannot be unpacked: ${String(error)}` };
  }
}
