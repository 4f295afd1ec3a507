import { errorCode } from "../../files/internal.ts";
import { messageOf, Problem } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type CallTable, openCallTable } from "../calls/call-table.ts";
import { rollUp } from "../calls/rollups.ts";
import { type NameTable, openNameTable } from "../calls/usage-record.ts";
import { type Ledger, type LedgerFile, ledgerFile, ownerInfo } from "../ledger/ledger.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { newScanProgress, type ScanProgress } from "./file-facts.ts";
import { type ScanOptions, scanTranscript } from "./scanner.ts";

/** A transcript, or a folder of them, that exists and cannot be read: its calls are in no figure. */
export interface UnreadFile {
  readonly file: string;
  readonly why: string;
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
