import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { type Fs, openFlags, replaceFile } from "../../files/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type Rollups, sumColumn } from "../calls/rollups.ts";
import { hashId, type IdHash } from "../calls/usage-record.ts";
import type { ScanProgress } from "../scan/file-facts.ts";
import { type LedgerFile, ledgerFile } from "./ledger.ts";

/**
 * All that a run needs which finds nothing changed, in one plain file: how far every transcript was read, and what was added
 * up. Figures have the same layout as in memory, so reading is almost free.
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
export const rulesVersion = 6;

const magic = Buffer.from("hookline usage 1\n");
const digestBytes = 32;

interface Header extends Omit<Manifest, "rollups" | "keys"> {
  readonly rules: number;
  readonly rollupCount: number;
  readonly keyCounts: readonly number[];
}

/** The manifest, `missing`, or why it cannot be used. Contract: never throws; a damaged one is as good as none. */
export function readIndexManifest(path: string): Manifest | "missing" | "damaged" | "outdated" {
  const bytes = bytesOf(path);
  if (bytes === undefined) return "missing";
  try {
    return decode(bytes);
  } catch {
    // Damage that was not caught by a checksum.
    return "damaged";
  }
}

/** Contract: written by rename, so a reader sees the old or the new one. */
export async function writeIndexManifest(path: string, manifest: Manifest, fs: Fs): Promise<void> {
  await replaceFile(path, encode(manifest), { fs });
}

function bytesOf(path: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, openFlags.reading);
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
  const body = bytes.subarray(0, -digestBytes);
  if (!bytes.subarray(-digestBytes).equals(createHash("sha256").update(body).digest())) return "damaged";
  if (!body.subarray(0, magic.length).equals(magic)) return "outdated";
  const textLength = body.readUIntLE(magic.length, 6);
  const front = magic.length + 7;
  const header = JSON.parse(body.toString("utf8", front, front + textLength)) as Header;
  if (header.rules !== rulesVersion) return "outdated";
  const figuresAt = front + textLength + 8 - ((front + textLength) % 8);
  // A copy, so that the numbers begin where numbers may begin.
  const numbers = new Uint8Array(body.subarray(figuresAt)).buffer;
  const sums = new Float64Array(numbers, 0, header.rollupCount * sumColumn.size);
  let at = sums.byteLength;
  const keys = header.keyCounts.map((count) => {
    const own = new Uint32Array(numbers, at, count);
    at += own.byteLength;
    return own;
  });
  const { generation, prices, files, names } = header;
  return { generation, prices, files, names, rollups: { count: header.rollupCount, sums }, keys };
}

/** A transcript as it was when it was last read, and how far. */
export interface KnownFile extends FilePlace {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Hashes of its first bytes and of those before `progress.offset`, so that another file under its name is noticed. */
  readonly head: string;
  readonly tail: string;
  /** Up to the last newline: what stays, whatever is written next. */
  readonly progress: ScanProgress;
  /** With a last line that has no newline yet; absent when there is none. */
  readonly shown?: ScanProgress;
  /** How far its calls are in the database. */
  readonly stored: number;
}

/** What it takes to tell whether reading can go on. */
export type ReadState = Pick<KnownFile, "dev" | "ino" | "size" | "mtimeMs" | "head" | "tail" | "progress">;

/** What a file's path says about it. */
interface FilePlace {
  readonly path: string;
  readonly root: string;
  readonly project: string;
  readonly session?: string;
  readonly agent?: string;
  readonly meta?: string;
}

export function filePlaceOf({ path, root, project, session, agent, meta }: TranscriptFile): FilePlace {
  return { path, root: root.path, project, ...defined({ session, agent, meta }) };
}

/** A known file as reports see it. */
export function ledgerFileOf(known: KnownFile): LedgerFile {
  return ledgerFile(known, known.size, known.shown ?? known.progress);
}

/** True when the file on disk is byte for byte the one that was read, as far as its stat tells. */
export function isUnchanged(known: KnownFile, now: TranscriptFile): boolean {
  return known.size === now.size && known.mtimeMs === now.mtimeMs && known.ino === now.ino && known.dev === now.dev;
}

/** True when the file has only grown since: reading can continue where it stopped. */
export function hasGrown(known: ReadState, now: TranscriptFile): boolean {
  if (now.path.endsWith(".gz")) return false;
  if (known.ino !== now.ino || known.dev !== now.dev || now.size < known.progress.offset) return false;
  // Same size at another time: rewritten in place, for all we know.
  if (now.size === known.size && now.mtimeMs !== known.mtimeMs) return false;
  const ends = endsOf(now.path, known.progress.offset);
  return ends !== undefined && ends.head === known.head && ends.tail === known.tail;
}

const endBytes = 1024;

/** The hashes of a file that was read up to `offset`; undefined when it cannot be read. */
export function endsOf(path: string, offset: number): { readonly head: string; readonly tail: string } | undefined {
  try {
    const descriptor = openSync(path, "r");
    try {
      const length = Math.min(endBytes, offset);
      return { head: hashAt(descriptor, 0, length), tail: hashAt(descriptor, offset - length, length) };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Gone or not ours to read: then it is read from its beginning, or not at all.
    return undefined;
  }
}

function hashAt(descriptor: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  const count = readSync(descriptor, bytes, 0, length, offset);
  const hash: IdHash = { a: 0, b: 0 };
  hashId(bytes, 0, count, hash);
  return `${hash.a.toString(16)}.${hash.b.toString(16)}`;
}
