import { errorCode } from "../../files/internal.ts";
import { messageOf, Problem } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type CallTable, openCallTable } from "../calls/call-table.ts";
import type { OwnerInfo } from "../calls/resolve-calls.ts";
import { type Rollups, rollUp, sumColumn } from "../calls/rollups.ts";
import { type NameTable, openNameTable } from "../calls/usage-record.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { newScanProgress, type ScanProgress } from "../scan/file-facts.ts";
import { type ScanOptions, scanTranscript } from "../scan/scanner.ts";

/** All usage in the transcripts, added up: what all reports are made from. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Models and agents, by number. */
  readonly names: readonly string[];
  readonly rollups: Rollups;
  readonly from: "scan" | "index";
  /** What went wrong with the index; it was rebuilt or not used. */
  readonly notes: readonly string[];
  /** What exists and is in no figure. */
  readonly unread: readonly UnreadFile[];
}

/** One transcript, read. */
export interface LedgerFile extends Omit<TranscriptFile, "root" | "session">, ScanProgress {
  readonly root: string;
  /** The session its calls belong to. */
  readonly session: string;
}

/** A transcript, or a folder of them, that exists and cannot be read: its calls are in no figure. */
export interface UnreadFile {
  readonly file: string;
  readonly why: string;
}

/** Reads every file from its beginning, in memory, and leaves nothing behind. */
export async function scanAll(
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: ScanOptions = {},
): Promise<Ledger> {
  const scan = openScan(found, options);
  const files: LedgerFile[] = [];
  for (const file of found) {
    options.signal?.throwIfAborted();
    const progress = newScanProgress();
    if (await scanFile(scan, file, files.length, progress))
      files.push(ledgerFile({ ...file, root: file.root.path }, progress));
  }
  const infos = files.map(ownerInfo);
  const rollups = rollUp(scan.table, scan.names, (file) => infos[file] as (typeof infos)[number], prices);
  return { files, names: [...scan.names.texts], rollups, from: "scan", notes: [], unread: scan.unread };
}

/** What the files of one run are read into. */
export interface Scan {
  readonly table: CallTable;
  readonly names: NameTable;
  readonly unread: UnreadFile[];
  readonly options: ScanOptions;
  /** Whether the file is an archive whose source is read too: the archive may be incomplete at this moment. */
  isCopy(file: TranscriptFile): boolean;
}

/** `names` are the names that have a number already. */
export function openScan(found: readonly TranscriptFile[], options: ScanOptions = {}, names?: readonly string[]): Scan {
  const placeIn = ({ path, root }: TranscriptFile) => path.slice(root.path.length);
  const places = new Set(found.map(placeIn));
  return {
    table: openCallTable(),
    names: openNameTable(names),
    unread: [],
    options,
    isCopy: (file) => file.path.endsWith(".gz") && places.has(placeIn(file).slice(0, -3)),
  };
}

/**
 * Reads one file. False when it no longer exists, is an incomplete copy of another one, or cannot be read to its end, which `scan.unread`
 * reports. Then it leaves no rows.
 */
export async function scanFile(
  { table, names, unread, options, isCopy }: Scan,
  file: TranscriptFile,
  number: number,
  progress: ScanProgress,
  beforeTail?: () => void,
): Promise<boolean> {
  const from = table.count;
  try {
    await scanTranscript(table, names, { path: file.path, agent: file.agent, number }, progress, options, beforeTail);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code !== "sessions/unreadable-file" && !/^E[A-Z]+$/.test(code)) throw error;
    table.dropFrom(from);
    const isCut = error instanceof Problem && error.about["isCut"] === true && isCopy(file);
    if (!isCut && code !== "ENOENT" && code !== "EISDIR") unread.push(unreadFile(file.path, error));
    return false;
  }
}

export function unreadFile(file: string, error: unknown): UnreadFile {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  // The system repeats the path in its message.
  return { file, why: messageOf(cause).replace(/, \w+(?: '.*')?$/s, "") };
}

export function ledgerFile(
  file: Omit<TranscriptFile, "root"> & { readonly root: string },
  progress: ScanProgress,
): LedgerFile {
  return { ...file, ...progress, session: file.session ?? progress.facts.sessionId ?? "" };
}

export function ownerInfo({ path, session, facts }: LedgerFile): OwnerInfo {
  return { path, session, firstAt: facts.firstAt ?? Number.NaN, ancestors: facts.ancestors };
}

/** The rollups of these files, under the new number of each file. */
export function renumbered(rollups: Rollups | undefined, numbers: ReadonlyMap<number, number>): Float64Array {
  if (rollups === undefined) return new Float64Array(0);
  const out = new Float64Array(rollups.sums.length);
  let length = 0;
  for (let at = 0; at < rollups.count * sumColumn.size; at += sumColumn.size) {
    const number = numbers.get(rollups.sums[at + sumColumn.file] as number);
    if (number === undefined) continue;
    out.set(rollups.sums.subarray(at, at + sumColumn.size), length);
    out[length + sumColumn.file] = number;
    length += sumColumn.size;
  }
  return out.subarray(0, length);
}

export function joinRollups(one: Float64Array, other: Float64Array): Rollups {
  const sums = new Float64Array(one.length + other.length);
  sums.set(one);
  sums.set(other, one.length);
  return { count: sums.length / sumColumn.size, sums };
}
