import { groupBy } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { wordColumn } from "../calls/call-table.ts";
import { owningFile } from "../calls/resolve-calls.ts";
import { rollUp } from "../calls/rollups.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { isUnchanged, ledgerFileOf, ledgerOf, readIndexManifest } from "./index-files.ts";
import { joinRollups, type Ledger, openScan, ownerInfo, renumbered } from "./ledger.ts";
import { type FreshFile, readTranscript } from "./read-transcript.ts";

export interface LiveLedgerOptions {
  /** The folder of the index, and of what was read of files since. */
  readonly folder: string;
  /** Most bytes of one file that are read; the next call reads more. */
  readonly maxBytes?: number;
}

export interface LiveLedger extends Ledger {
  /** False when a file was not read to its end. */
  readonly isWhole: boolean;
}

interface LiveFile extends FreshFile {
  /** Not read as far as by the last report, whose figures are used instead. */
  readonly isLess: boolean;
}

/** Below this, reading again costs less than writing a file. */
const keepOver = 256 * 1024;

/**
 * The ledger as the last report left it, with these files brought up to date. Reads only what is new in them, and works without a
 * place to write.
 */
export async function liveLedger(
  files: readonly TranscriptFile[],
  prices: PriceTable,
  { folder, maxBytes }: LiveLedgerOptions,
): Promise<LiveLedger> {
  const { manifest } = readIndexManifest(folder);
  const before = manifest?.prices === prices.fingerprint ? manifest : undefined;
  const scan = openScan(files, { maxBytes }, before?.names);
  const { table, names, unread } = scan;
  const known = new Map(before?.files.map((file, index) => [file.path, { file, index }]));
  const fresh: LiveFile[] = [];
  let isWhole = true;
  for (const file of files) {
    const have = known.get(file.path);
    if (have !== undefined && isUnchanged(have.file, file)) continue;
    const one = await read(file);
    if (one !== undefined) fresh.push(one);
  }
  return merged();

  async function read(file: TranscriptFile): Promise<LiveFile | undefined> {
    const one = await readTranscript(scan, file, fresh.length, { folder, keepOver });
    if (one === undefined) return undefined;
    const { offset } = one.known.progress;
    const isCut = maxBytes !== undefined && file.size - offset > maxBytes / 16;
    if (isCut) isWhole = false;
    return { ...one, isLess: isCut && (known.get(file.path)?.file.progress.offset ?? 0) > offset };
  }

  function merged(): LiveLedger {
    const base = before === undefined ? undefined : ledgerOf(before);
    if (base !== undefined && fresh.every(({ isLess }) => isLess)) return { ...base, unread, isWhole };
    const oldFiles = base?.files ?? [];
    const replaced = new Set(fresh.flatMap((one) => (one.isLess ? [] : (known.get(one.known.path)?.index ?? []))));
    const infos = fresh.map((one) => ownerInfo(ledgerFileOf(one.known)));
    const infoOf = (file: number) => infos[file] as (typeof infos)[number];
    const foreign = foreignRows();
    const rolled = rollUp(table, names, infoOf, prices, (file, row) => !fresh[file]?.isLess && !foreign.has(row));
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

    /** Rows of calls that a fresh file only repeats from one that the index knows. Calls are compared by the first word of their keys. */
    function foreignRows(): ReadonlySet<number> {
      const { words, count } = table;
      const wordAt = (row: number, column: number) => words[row * wordColumn.size + column] as number;
      const byKey = groupBy(Array(count).keys(), (row) => wordAt(row, wordColumn.keyA));
      const rows = new Set<number>();
      oldFiles.forEach((other, index) => {
        if (replaced.has(index)) return;
        for (const key of before?.keys[index] ?? []) {
          for (const row of byKey.get(key) ?? []) {
            const pair = [infoOf(wordAt(row, wordColumn.file)), ownerInfo(other)];
            if (owningFile([0, 1], (one) => pair[one] as (typeof infos)[number]) === 1) rows.add(row);
          }
        }
      });
      return rows;
    }
  }
}
