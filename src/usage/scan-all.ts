import type { TranscriptFile } from "../sessions/index.ts";
import { openNames } from "./calls/names.ts";
import { openCallTable } from "./calls/table.ts";
import { type Ledger, type LedgerFile, namesOf, ownerInfo } from "./ledger.ts";
import type { PriceTable } from "./prices/table.ts";
import { rollUp } from "./rollups.ts";
import { openScanner, type Progress, type ScanOptions } from "./scan/scan-file.ts";
import { nothingTold } from "./scan/told.ts";

/** Reads every file from its beginning, in memory, and leaves nothing behind. */
export async function scanAll(
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: ScanOptions = {},
): Promise<Ledger> {
  const table = openCallTable();
  const names = openNames();
  const scanner = openScanner(table, names, options);
  const files: LedgerFile[] = [];
  for (const file of found) {
    options.signal?.throwIfAborted();
    const progress = startOfFile();
    // A file can be deleted between being found and being read: then it says nothing.
    if (await scanned(scanner.scan(file.path, files.length, file.agent !== undefined, progress))) {
      files.push(ledgerFile(file, progress));
    }
  }
  const infos = files.map(ownerInfo);
  const rollups = rollUp(table, names, (file) => infos[file] as (typeof infos)[number], prices);
  return { files, names: namesOf(names), rollups, from: "scan", notes: [] };
}

export function startOfFile(): Progress {
  return { offset: 0, lines: 0, told: nothingTold(), unreadable: 0, unreadablePlaces: [], fallback: 0 };
}

/** False when the file is gone or not ours to read. */
export async function scanned(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "EACCES" || code === "EISDIR") return false;
    throw error;
  }
}

export function ledgerFile(file: TranscriptFile, progress: Progress): LedgerFile {
  return {
    path: file.path,
    root: file.root.path,
    project: file.project,
    session: file.session ?? progress.told.sessionId ?? "",
    ...(file.agent === undefined ? {} : { agent: file.agent }),
    ...(file.meta === undefined ? {} : { meta: file.meta }),
    told: progress.told,
    bytes: file.size,
    unreadable: progress.unreadable,
    unreadablePlaces: progress.unreadablePlaces,
    fallback: progress.fallback,
  };
}
