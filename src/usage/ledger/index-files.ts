import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Fs, nodeFs, openFlags, openFolder, replaceFile, sha256, withFileSync } from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type Rollups, sumColumn } from "../calls/rollups.ts";
import type { ScanProgress } from "../scan/file-facts.ts";
import { type Ledger, type LedgerFile, ledgerFile } from "./ledger.ts";

/**
 * Everything that a run without changes needs, in one plain file: how far every transcript was read, and what was added
 * up. Figures have the same layout as in memory, so reading is almost free.
 */
export interface Manifest {
  /** Names the prices that the costs were computed with. */
  readonly prices: string;
  readonly files: readonly KnownFile[];
  readonly names: readonly string[];
  readonly rollups: Rollups;
  /** The first word of every key of each file, to find out which files share calls. */
  readonly keys: readonly Uint32Array[];
}

/** A transcript as it was when it was last read, and how far. */
export interface KnownFile extends Omit<TranscriptFile, "root"> {
  readonly root: string;
  /** Hashes of its first bytes and of those before `progress.offset`, so that another file under its name is noticed. */
  readonly head: string;
  readonly tail: string;
  /** Up to the last newline. What is written later does not change it. */
  readonly progress: ScanProgress;
  /** With a last line that has no newline yet; absent when there is none. */
  readonly shown?: ScanProgress;
}

/** The calls of a transcript up to the last newline that was read, so that reading can continue there. */
export interface KeptFile extends KnownFile {
  readonly calls: Buffer;
}

/** True when the file on disk is byte for byte the one that was read, as far as its stat shows. */
export function isUnchanged(known: KnownFile, now: TranscriptFile): boolean {
  return known.size === now.size && known.mtimeMs === now.mtimeMs && known.ino === now.ino && known.dev === now.dev;
}

/** A known file as reports see it. */
export function ledgerFileOf(known: KnownFile): LedgerFile {
  return ledgerFile(known, known.shown ?? known.progress);
}

export function ledgerOf({ files, names, rollups }: Manifest): Ledger {
  return { files: files.map(ledgerFileOf), names, rollups, from: "index", notes: [], unread: [] };
}

export const manifestName = "usage-manifest";

/** Version of the layout here and of the rules by which records are read. What was kept under another version is read again. */
export const rulesVersion = 10;

interface ManifestHead extends Omit<Manifest, "rollups" | "keys"> {
  readonly rules: number;
  readonly rollupCount: number;
  readonly keyCounts: readonly number[];
}

/** What an earlier run left: nothing, a manifest, or one that cannot be used. */
export interface EarlierIndex {
  readonly manifest?: Manifest;
  readonly fault?: "damaged" | "outdated";
}

/** Contract: never throws. */
export function readIndexManifest(folder: string): EarlierIndex {
  const bytes = bytesOf(join(folder, manifestName));
  if (bytes === undefined) return {};
  // One that cannot be decoded is whole, and of another layout.
  return attempt(() => decodeManifest(bytes)) ?? { fault: "outdated" };
}

/** Contract: written by rename, so a reader sees the old or the new one. */
export async function writeIndexManifest(folder: string, manifest: Manifest, fs: Fs = nodeFs): Promise<void> {
  const { rollups, keys, ...rest } = manifest;
  const keyCounts = keys.map((own) => own.length);
  const head: ManifestHead = { ...rest, rules: rulesVersion, rollupCount: rollups.count, keyCounts };
  await replaceFile(join(folder, manifestName), sealed(head, [rollups.sums, ...keys]), { fs });
}

function decodeManifest(bytes: Buffer): EarlierIndex {
  const read = unsealed<ManifestHead>(bytes);
  if (read === undefined) return { fault: "damaged" };
  const { rules, rollupCount, keyCounts, ...rest } = read.head;
  if (rules !== rulesVersion) return { fault: "outdated" };
  // A copy, because numbers must be aligned.
  const numbers = new Uint8Array(read.body).buffer;
  const sums = new Float64Array(numbers, 0, rollupCount * sumColumn.size);
  let at = sums.byteLength;
  const keys = keyCounts.map((count) => {
    const own = new Uint32Array(numbers, at, count);
    at += own.byteLength;
    return own;
  });
  return { manifest: { ...rest, rollups: { count: rollupCount, sums }, keys } };
}

/** What was read of one long transcript, in a plain file of its own: so that a status line, a hook or a report reads only what is new. */
export function readKept(folder: string, path: string): KeptFile | undefined {
  const bytes = bytesOf(keptPath(folder, path));
  const read = bytes && unsealed<Omit<KeptFile, "calls">>(bytes);
  return read?.head.path === path ? { ...read.head, calls: read.body } : undefined;
}

export async function writeKept(folder: string, { calls, ...head }: KeptFile): Promise<void> {
  await openFolder(join(folder, "live"));
  await replaceFile(keptPath(folder, head.path), sealed(head, [calls]));
}

const keptMs = 2 * 86_400_000;

/** Removes what was kept of transcripts that have not grown for a while. */
export function pruneKept(folder: string, now: number): void {
  // Without a long transcript there is no such folder.
  for (const name of attempt(() => readdirSync(join(folder, "live"))) ?? []) {
    const path = join(folder, "live", name);
    if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > keptMs) rmSync(path, { force: true });
  }
}

/** The version is part of the name: what was read by other rules is not found. */
function keptPath(folder: string, path: string): string {
  return join(folder, "live", sha256(`${rulesVersion} ${path}`).slice(0, 24));
}

/** Undefined when it does not exist or is not a file; a link is not followed. */
function bytesOf(path: string): Buffer | undefined {
  return attempt(() => withFileSync(path, openFlags.reading, (descriptor) => readFileSync(descriptor)));
}

const digestBytes = 32;

/** JSON and numbers as one file, with a checksum at its end. */
function sealed(head: object, body: readonly NodeJS.ArrayBufferView[]): Buffer {
  const content = indexBytes(head, body);
  return Buffer.concat([content, digestOf(content)]);
}

/** Undefined when a byte is not what was written. */
function unsealed<Head>(bytes: Buffer): JoinedParts<Head> | undefined {
  const content = bytes.subarray(0, -digestBytes);
  return bytes.subarray(-digestBytes).equals(digestOf(content)) ? separated(content) : undefined;
}

interface JoinedParts<Head> {
  readonly head: Head;
  readonly body: Buffer;
}

/** JSON, with its length before it, and the numbers after it. */
export function indexBytes(head: object, body: readonly NodeJS.ArrayBufferView[]): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([
    length,
    text,
    ...body.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)),
  ]);
}

/** Contract: the bytes are from `joined`. */
export function separated<Head>(bytes: Buffer): JoinedParts<Head> {
  const end = 4 + bytes.readUInt32LE(0);
  return { head: JSON.parse(bytes.toString("utf8", 4, end)) as Head, body: bytes.subarray(end) };
}

function digestOf(content: Uint8Array): Buffer {
  return createHash("sha256").update(content).digest();
}
