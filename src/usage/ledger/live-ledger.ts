import { join } from "node:path";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { openCallTable, wordColumn } from "../calls/call-table.ts";
import { owningFile } from "../calls/resolve-calls.ts";
import { rollUp } from "../calls/rollups.ts";
import { openNameTable } from "../calls/usage-record.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { newScanProgress, type ScanProgress } from "../scan/file-facts.ts";
import { scanFile, type UnreadFile } from "../scan/scan-files.ts";
import { openScanner } from "../scan/scanner.ts";
import {
  endsOf,
  filePlaceOf,
  hasGrown,
  isUnchanged,
  type KnownFile,
  ledgerFileOf,
  readIndexManifest,
} from "./index-manifest.ts";
import { ledgerOf, manifestName } from "./indexed-ledger.ts";
import { joinRollups, type Ledger, ownerInfo, renumbered } from "./ledger.ts";
import { addRawRows, rawRows, readLive, writeLive } from "./stored-rows.ts";

export interface LiveLedgerOptions {
  /** The folder of the index, and of what was read of files since. */
  readonly folder: string;
  /** More than this of one file is not read in one go; the rest waits for the next time. */
  readonly maxBytes?: number;
}

export interface LiveLedger extends Ledger {
  /** False when a file was not read to its end. */
  readonly isWhole: boolean;
}

/** A file as it is now. */
interface FreshFile {
  readonly known: KnownFile;
  /** Its rows in the table, from and to. */
  readonly rows: readonly [number, number];
  /** Not read as far as the last report had come: what that one knew says more. */
  readonly isLess: boolean;
}

/** Below this much, reading again costs less than writing down. */
const worthKeeping = 256 * 1024;

/**
 * The ledger as the last report left it, with these files brought up to date. Reads only what is new in them, opens no
 * database, and never fails for want of a place to write.
 */
export async function liveLedger(
  files: readonly TranscriptFile[],
  prices: PriceTable,
  { folder, maxBytes }: LiveLedgerOptions,
): Promise<LiveLedger> {
  const found = readIndexManifest(join(folder, manifestName));
  const before = typeof found === "object" && found.prices === prices.fingerprint ? found : undefined;
  const names = openNameTable(before?.names);
  const table = openCallTable();
  const scanner = openScanner(table, names, { maxBytes });
  const known = new Map(before?.files.map((file, index) => [file.path, { file, index }]));
  const fresh: FreshFile[] = [];
  const unread: UnreadFile[] = [];
  let isWhole = true;
  for (const file of files) {
    const have = known.get(file.path);
    if (have !== undefined && isUnchanged(have.file, file)) continue;
    const one = await read(file);
    if (one !== undefined) fresh.push(one);
  }
  return merged();

  async function read(file: TranscriptFile): Promise<FreshFile | undefined> {
    const { path, agent, dev, ino, size, mtimeMs } = file;
    const from = table.count;
    const number = fresh.length;
    const live = readLive(join(folder, "live"), path);
    let progress = newScanProgress();
    if (live !== undefined && hasGrown(live, file)) {
      progress = live.progress;
      addRawRows(live.calls, number, table, names);
    }
    const begun = progress.offset;
    let kept: ScanProgress | undefined;
    let calls: Buffer | undefined;
    const read = await scanFile(scanner, table, { path, agent, number }, progress, () => {
      kept = structuredClone(progress);
      if (kept.offset - begun > worthKeeping) calls = rawRows(table, from, table.count, names);
    });
    if (typeof read === "object") unread.push(read);
    if (read !== "read" || kept === undefined) {
      table.dropFrom(from);
      return undefined;
    }
    const isCut = maxBytes !== undefined && size - kept.offset > maxBytes / 16;
    if (isCut) isWhole = false;
    const ends = endsOf(path, kept.offset) ?? { head: "", tail: "" };
    const own = { path, dev, ino, size, mtimeMs, ...ends, progress: kept };
    // Kept to be quicker the next time; without it the next time is as slow as this one.
    if (calls !== undefined) await writeLive(join(folder, "live"), { ...own, calls }).catch(() => undefined);
    const isLess = isCut && (before?.files[known.get(path)?.index ?? -1]?.progress.offset ?? 0) > kept.offset;
    return { known: { ...filePlaceOf(file), ...own, shown: progress, stored: 0 }, rows: [from, table.count], isLess };
  }

  function merged(): LiveLedger {
    const base = before === undefined ? undefined : ledgerOf(before);
    if (base !== undefined && fresh.every(({ isLess }) => isLess)) return { ...base, unread, isWhole };
    const oldFiles = base?.files ?? [];
    const replaced = new Set(fresh.flatMap((one) => (one.isLess ? [] : (known.get(one.known.path)?.index ?? []))));
    const infos = fresh.map((one) => ownerInfo(ledgerFileOf(one.known)));
    const foreign = foreignKeys(replaced, oldFiles, infos);
    const { words } = table;
    const rolled = rollUp(
      table,
      names,
      (file) => infos[file] as (typeof infos)[number],
      prices,
      (file, row) =>
        !fresh[file]?.isLess && !foreign[file]?.has(words[row * wordColumn.size + wordColumn.keyA] as number),
    );
    const kept = new Map(oldFiles.flatMap((_, index) => (replaced.has(index) ? [] : [[index, index]])));
    const added = new Map(fresh.map((_, number) => [number, oldFiles.length + number]));
    return {
      files: [...oldFiles, ...fresh.map((one) => ledgerFileOf(one.known))],
      names: [...names.texts],
      rollups: joinRollups(renumbered(base?.rollups, kept), renumbered(rolled, added)),
      from: "index",
      notes: [],
      unread,
      isWhole,
    };
  }

  /** Calls that a fresh file only repeats from one that the index knows, by the first word of their keys. */
  function foreignKeys(
    replaced: ReadonlySet<number>,
    oldFiles: Ledger["files"],
    infos: readonly ReturnType<typeof ownerInfo>[],
  ): readonly ReadonlySet<number>[] {
    const others = new Set<number>();
    before?.keys.forEach((keys, index) => {
      if (!replaced.has(index)) for (const key of keys) others.add(key);
    });
    const { words } = table;
    return fresh.map(({ rows: [from, to] }, number) => {
      const own = new Set<number>();
      for (let row = from; row < to; row++) {
        const key = words[row * wordColumn.size + wordColumn.keyA] as number;
        if (others.has(key)) own.add(key);
      }
      const foreign = new Set<number>();
      if (own.size === 0) return foreign;
      before?.keys.forEach((keys, index) => {
        const other = oldFiles[index];
        if (replaced.has(index) || other === undefined) return;
        const shared = keys.filter((key) => own.has(key));
        if (shared.length === 0) return;
        const pair = [infos[number] as (typeof infos)[number], ownerInfo(other)];
        if (owningFile([0, 1], (one) => pair[one] as (typeof infos)[number]) === 1)
          for (const key of shared) foreign.add(key);
      });
      return foreign;
    });
  }
}
