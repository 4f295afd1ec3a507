import { constants, readSync } from "node:fs";
import { sha256, withFileSync } from "../../files/internal.ts";
import { attempt, defined } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type CallTable, rowFlag, wordColumn } from "../calls/call-table.ts";
import { type NameTable, openNameTable, type RecordPart } from "../calls/usage-record.ts";
import { newScanProgress, type ScanProgress } from "../scan/file-facts.ts";
import { indexBytes, type KeptFile, type KnownFile, readKept, separated, writeKept } from "./index-files.ts";
import { type Scan, scanFile } from "./ledger.ts";

/** A transcript as it is now. */
export interface FreshFile {
  readonly known: KnownFile;
  /** Its rows in the table, from and to. */
  readonly rows: readonly [number, number];
}

export interface KeepOptions {
  /** The folder of the index, and of what is kept of single transcripts. */
  readonly folder: string;
  /** The calls of a transcript are kept once more bytes than this were read of it. */
  readonly keepOver: number;
  /** Forget what is known and read everything again. */
  readonly rescan?: boolean;
}

/**
 * Reads a transcript from where an earlier run stopped, if its calls were kept and it has only grown since, else from its beginning.
 * Undefined when it vanished since it was found, or cannot be read.
 */
export async function readTranscript(
  scan: Scan,
  file: TranscriptFile,
  number: number,
  { folder, keepOver, rescan }: KeepOptions,
): Promise<FreshFile | undefined> {
  const { table, names } = scan;
  const from = table.count;
  const stored = rescan ? undefined : readKept(folder, file.path);
  let progress = newScanProgress();
  if (stored !== undefined && hasGrown(stored, file)) {
    progress = stored.progress;
    addRawRows(stored.calls, number, table, names);
  }
  const begun = progress.offset;
  let kept: ScanProgress | undefined;
  let calls: Buffer | undefined;
  const isRead = await scanFile(scan, file, number, progress, () => {
    kept = structuredClone(progress);
    if (kept.offset - begun > keepOver) calls = rawRows(table, from, names);
  });
  if (!isRead || kept === undefined) {
    table.dropFrom(from);
    return undefined;
  }
  const ends = endsOf(file.path, kept.offset) ?? { head: "", tail: "" };
  const shown = JSON.stringify(kept) === JSON.stringify(progress) ? undefined : progress;
  const known = { ...file, root: file.root.path, ...ends, progress: kept, ...defined({ shown }) };
  // Only saves time at the next call.
  if (calls !== undefined) await writeKept(folder, { ...known, calls }).catch(() => undefined);
  return { known, rows: [from, table.count] };
}

/** True when the file has only grown since: reading can continue where it stopped. */
function hasGrown(known: KeptFile, now: TranscriptFile): boolean {
  if (now.path.endsWith(".gz")) return false;
  if (known.ino !== now.ino || known.dev !== now.dev || now.size < known.progress.offset) return false;
  // The same size at another time: it may have been rewritten in place.
  if (now.size === known.size && now.mtimeMs !== known.mtimeMs) return false;
  const ends = endsOf(now.path, known.progress.offset);
  return ends !== undefined && ends.head === known.head && ends.tail === known.tail;
}

const endBytes = 1024;

/** The hashes of a file that was read up to `offset`; undefined when it cannot be read. */
function endsOf(path: string, offset: number): Pick<KnownFile, "head" | "tail"> | undefined {
  const length = Math.min(endBytes, offset);
  return attempt(() =>
    withFileSync(path, constants.O_RDONLY, (descriptor) => ({
      head: hashAt(descriptor, 0, length),
      tail: hashAt(descriptor, offset - length, length),
    })),
  );
}

function hashAt(descriptor: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  const count = readSync(descriptor, bytes, 0, length, offset);
  return sha256(bytes.subarray(0, count)).slice(0, 16);
}

/** The rows of a file, from `from` to the end of the table, as they are there. */
function rawRows(table: CallTable, from: number, names: NameTable): Buffer {
  const own = openNameTable();
  const words = table.words.slice(from * wordColumn.size);
  const parts: [number, readonly RecordPart[]][] = [];
  for (let w = 0; w < words.length; w += wordColumn.size) {
    for (const column of nameColumns) words[w + column] = own.numberOf(names.texts[words[w + column] as number] ?? "");
    const row = w / wordColumn.size;
    if (((words[w + wordColumn.marks] as number) & rowFlag.hasParts) !== 0)
      parts.push([row, table.partsOf(from + row)]);
  }
  return indexBytes({ names: own.texts, parts } satisfies RowsHead, [words]);
}

/** Adds stored rows as rows of file `file`. Contract: the bytes are from `rawRows`, and their checksum was compared. */
function addRawRows(bytes: Buffer, file: number, table: CallTable, names: NameTable): void {
  const { head, body } = separated<RowsHead>(bytes);
  const { names: own, parts } = head;
  // A copy, because words must be aligned.
  const words = new Uint32Array(new Uint8Array(body).buffer);
  const numbers = own.map((text) => names.numberOf(text));
  for (let w = 0; w < words.length; w += wordColumn.size) {
    words[w + wordColumn.file] = file;
    for (const column of nameColumns) words[w + column] = numbers[words[w + column] as number] ?? 0;
  }
  const first = table.count;
  table.addRows(words);
  for (const [row, own] of parts) table.setParts(first + row, own);
}

/** Columns with numbers of names. */
const nameColumns = [wordColumn.model, wordColumn.agent];

interface RowsHead {
  readonly names: readonly string[];
  readonly parts: readonly [number, readonly RecordPart[]][];
}
