import { messageOf, Problem } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type CallTable, openCallTable } from "../calls/call-table.ts";
import { rollUp } from "../calls/rollups.ts";
import { openNameTable } from "../calls/usage-record.ts";
import { type Ledger, type LedgerFile, ledgerFile, ownerInfo } from "../ledger/ledger.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { newScanProgress, type ScanProgress } from "./file-facts.ts";
import { openScanner, type ScannedFile, type Scanner, type ScanOptions } from "./scanner.ts";

/** A transcript, or a folder of them, that is there and cannot be read: its calls are in no figure. */
export interface UnreadFile {
  readonly file: string;
  readonly why: string;
}

/** Reads one file. "gone": it no longer exists, or is the unfinished copy of another one. A file that cannot be read to its end leaves no rows. */
export async function scanFile(
  scanner: Scanner,
  table: CallTable,
  file: ScannedFile,
  progress: ScanProgress,
  beforeTail?: () => void,
): Promise<"read" | "gone" | UnreadFile> {
  const from = table.count;
  try {
    await scanner.scan(file, progress, beforeTail);
    return "read";
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    table.dropFrom(from);
    if (file.isCopy === true && error instanceof Problem && error.about["isCut"] === true) return "gone";
    return code === "ENOENT" || code === "EISDIR" ? "gone" : unreadFile(file.path, error);
  }
}

export function unreadFile(file: string, error: unknown): UnreadFile {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  // The system repeats the path in its message.
  return { file, why: messageOf(cause).replace(/, \w+(?: '.*')?$/s, "") };
}

/** Tells archives whose source is among these files too: an archive may be under way just now. */
export function archiveCopyTest(found: readonly TranscriptFile[]): (file: TranscriptFile) => boolean {
  const placeIn = ({ path, root }: TranscriptFile) => path.slice(root.path.length);
  const places = new Set(found.map(placeIn));
  return (file) => file.path.endsWith(".gz") && places.has(placeIn(file).slice(0, -3));
}

/** The code of an error that the disk or the file is to blame for. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "string") return undefined;
  return code === "sessions/unreadable-file" || /^E[A-Z]+$/.test(code) ? code : undefined;
}

/** Reads every file from its beginning, in memory, and leaves nothing behind. */
export async function scanAll(
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: ScanOptions = {},
): Promise<Ledger> {
  const table = openCallTable();
  const names = openNameTable();
  const scanner = openScanner(table, names, options);
  const files: LedgerFile[] = [];
  const unread: UnreadFile[] = [];
  const isCopy = archiveCopyTest(found);
  for (const file of found) {
    options.signal?.throwIfAborted();
    const progress = newScanProgress();
    const { path, agent } = file;
    const read = await scanFile(scanner, table, { path, agent, number: files.length, isCopy: isCopy(file) }, progress);
    if (typeof read === "object") unread.push(read);
    if (read !== "read") continue;
    files.push(ledgerFile({ ...file, root: file.root.path }, file.size, progress));
  }
  const infos = files.map(ownerInfo);
  const rollups = rollUp(table, names, (file) => infos[file] as (typeof infos)[number], prices);
  return { files, names: [...names.texts], rollups, from: "scan", notes: [], unread };
}
