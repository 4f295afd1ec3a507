import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { type Fs, openFor, replaceFile } from "../../files/internal.ts";
import { type Rollups, sum } from "../calls/rollups.ts";
import type { KnownFile } from "./known-file.ts";

/**
 * All that a run needs which finds nothing changed, in one plain file: how far every transcript was read, and what was added
 * up. Figures lie in it as they lie in memory, so that reading it costs next to nothing.
 */
export interface Manifest {
  /** Goes up with every write. */
  readonly generation: number;
  /** Names the prices that the costs were computed with. */
  readonly prices: string;
  readonly files: readonly KnownFile[];
  readonly names: readonly string[];
  readonly rollups: Rollups;
  /** The first word of every key of each file, to find out which files share calls. */
  readonly keys: readonly Uint32Array[];
}

/** Another version of the rules by which records are read makes everything that was kept worthless. */
export const rulesVersion = 4;

const magic = Buffer.from("hookline usage 1\n");
const hashBytes = 32;

interface Header extends Omit<Manifest, "rollups" | "keys"> {
  readonly rules: number;
  readonly rollupCount: number;
  readonly keyCounts: readonly number[];
}

/** The manifest, `missing`, or why it cannot be used. Contract: never throws; a damaged one is as good as none. */
export function readManifest(path: string): Manifest | "missing" | "damaged" | "outdated" {
  const bytes = bytesOf(path);
  if (bytes === undefined) return "missing";
  try {
    return decode(bytes);
  } catch {
    // A cut or flipped byte that the checksum was not there to catch.
    return "damaged";
  }
}

/** Contract: by rename, so that whoever reads it sees the old or the new one. */
export async function writeManifest(path: string, manifest: Manifest, fs: Fs): Promise<void> {
  await replaceFile(path, encode(manifest), { fs });
}

function bytesOf(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, openFor.reading);
  } catch {
    // Not there, or a link that we do not follow.
    return undefined;
  }
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function encode({ rollups, keys, ...rest }: Manifest): Buffer {
  const header: Header = {
    ...rest,
    rules: rulesVersion,
    rollupCount: rollups.count,
    keyCounts: keys.map((own) => own.length),
  };
  const text = Buffer.from(JSON.stringify(header));
  const front = magic.length + 7;
  const length = Buffer.alloc(7);
  length.writeUIntLE(text.length, 0, 6);
  const padding = Buffer.alloc(8 - ((front + text.length) % 8));
  const figures = rollups.sums;
  const body = Buffer.concat([
    magic,
    length,
    text,
    padding,
    Buffer.from(figures.buffer, figures.byteOffset, figures.byteLength),
    ...keys.map((own) => Buffer.from(own.buffer, own.byteOffset, own.byteLength)),
  ]);
  return Buffer.concat([body, createHash("sha256").update(body).digest()]);
}

export function decode(bytes: Buffer): Manifest | "damaged" | "outdated" {
  const body = bytes.subarray(0, -hashBytes);
  if (!bytes.subarray(-hashBytes).equals(createHash("sha256").update(body).digest())) return "damaged";
  if (!body.subarray(0, magic.length).equals(magic)) return "outdated";
  const textLength = body.readUIntLE(magic.length, 6);
  const front = magic.length + 7;
  const header = JSON.parse(body.toString("utf8", front, front + textLength)) as Header;
  if (header.rules !== rulesVersion) return "outdated";
  const figuresAt = front + textLength + 8 - ((front + textLength) % 8);
  // A copy, so that the numbers begin where numbers may begin.
  const numbers = new Uint8Array(body.subarray(figuresAt)).buffer;
  const sums = new Float64Array(numbers, 0, header.rollupCount * sum.size);
  let at = sums.byteLength;
  const keys = header.keyCounts.map((count) => {
    const own = new Uint32Array(numbers, at, count);
    at += own.byteLength;
    return own;
  });
  const { generation, prices, files, names } = header;
  return { generation, prices, files, names, rollups: { count: header.rollupCount, sums }, keys };
}
