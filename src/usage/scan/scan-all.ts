import type { TranscriptFile } from "../../sessions/index.ts";
import { openCallTable } from "../calls/call-table.ts";
import { openNames } from "../calls/names.ts";
import { rollUp } from "../calls/rollups.ts";
import { type Ledger, type LedgerFile, ledgerFile, ownerInfo } from "../ledger/ledger.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { startOfFile } from "./progress.ts";
import { copiesIn, tryScan, type UnreadFile } from "./scan-files.ts";
import { openScanner, type ScanOptions } from "./scanner.ts";

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
  const unread: UnreadFile[] = [];
  const isCopy = copiesIn(found);
  for (const file of found) {
    options.signal?.throwIfAborted();
    const progress = startOfFile();
    const { path, agent } = file;
    const read = await tryScan(scanner, table, { path, agent, number: files.length, isCopy: isCopy(file) }, progress);
    if (typeof read === "object") unread.push(read);
    if (read !== "read") continue;
    files.push(ledgerFile({ ...file, root: file.root.path }, file.size, progress));
  }
  const infos = files.map(ownerInfo);
  const rollups = rollUp(table, names, (file) => infos[file] as (typeof infos)[number], prices);
  return { files, names: [...names.texts], rollups, from: "scan", notes: [], unread };
}
