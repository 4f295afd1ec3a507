import type { TranscriptFile } from "../../sessions/internal.ts";
import { openCallTable, wordColumn } from "../calls/call-table.ts";
import { rollUp } from "../calls/rollups.ts";
import { openNameTable } from "../calls/usage-record.ts";
import type { PriceTable } from "../prices/price-table.ts";
import { newScanProgress, type ScanProgress } from "../scan/file-facts.ts";
import { archiveCopyTest, scanFile, type UnreadFile } from "../scan/scan-files.ts";
import { openScanner, type ScanOptions } from "../scan/scanner.ts";
import type { StoredFile } from "./call-store.ts";
import {
  endsOf,
  filePlaceOf,
  hasGrown,
  isUnchanged,
  type KnownFile,
  ledgerFileOf,
  type Manifest,
} from "./index-manifest.ts";
import { joinRollups, ownerInfo, renumbered } from "./ledger.ts";
import { addRawRows, rawRows } from "./stored-rows.ts";

export interface Refreshed {
  readonly manifest: Manifest;
  /** Files that were read or taken from the store, packed, if that was asked for. */
  readonly loaded: readonly StoredFile[];
  /** Files that are there and could not be read; the manifest does not hold them, so the next run tries again. */
  readonly unread: readonly UnreadFile[];
}

export interface RefreshOptions extends ScanOptions {
  /** What the database has of a file, if it may be asked for that. */
  readonly storedFile?: (file: TranscriptFile, known: KnownFile | undefined) => Promise<StoredFile | undefined>;
  /** Files that are to be loaded even if nothing about them changed. */
  readonly alsoLoad?: (known: KnownFile) => boolean;
  readonly pack?: boolean;
}

/**
 * Brings what is known up to date with the files that are there. Only files that changed are read, and those that share
 * calls with them: for a call that several files hold, one change can move the owner. All other figures stay as they are.
 */
export async function refresh(
  before: Manifest | undefined,
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: RefreshOptions = {},
): Promise<Refreshed> {
  const names = openNameTable(before?.names);
  const table = openCallTable();
  const scanner = openScanner(table, names, options);
  const old = new Map(before?.files.map((file, index) => [file.path, { file, index }]));
  const isNew = before === undefined || before.prices !== prices.fingerprint;
  const isCopy = archiveCopyTest(found);
  const files: (Loaded | undefined)[] = [];
  const unread: UnreadFile[] = [];
  const present = new Set(found.map((file) => file.path));
  const removed = [...(before?.files ?? [])].filter(({ path }) => !present.has(path)).map(({ path }) => path);

  const changed = new Set<number>();
  found.forEach((file, number) => {
    const known = old.get(file.path);
    if (isNew || known === undefined || !isUnchanged(known.file, file)) changed.add(number);
  });
  for (const number of changed) await load(number);

  const redo = new Set(changed);
  if (!isNew)
    for (const number of sharing(changed, [...changed].flatMap(oldKeys).concat(removed.flatMap(keysByPath))))
      redo.add(number);
  for (const number of redo) if (!changed.has(number)) await load(number);
  // Whose calls stay as they are, but who must be heard when those are shared out.
  if (!isNew) for (const number of sharing(redo, [])) if (!redo.has(number)) await load(number);
  if (options.alsoLoad !== undefined) {
    for (const [number, file] of found.entries()) {
      const known = old.get(file.path)?.file;
      if (files[number] === undefined && known !== undefined && options.alsoLoad(known)) await load(number);
    }
  }
  return { manifest: makeManifest(), loaded: files.flatMap((file) => file?.stored ?? []), unread };

  async function load(number: number): Promise<void> {
    const file = found[number] as TranscriptFile;
    const { path, agent } = file;
    const known = old.get(path)?.file;
    const stored = await options.storedFile?.(file, known);
    const from = table.count;
    let progress = newScanProgress();
    if (stored !== undefined && hasGrown(stored, file)) {
      progress = stored.progress;
      addRawRows(stored.calls, number, table, names);
    }
    let kept: ScanProgress | undefined;
    let calls: Buffer | undefined;
    const read = await scanFile(scanner, table, { path, agent, number, isCopy: isCopy(file) }, progress, () => {
      kept = structuredClone(progress);
      if (options.pack) calls = rawRows(table, from, table.count, names);
    });
    options.signal?.throwIfAborted();
    if (typeof read === "object") unread.push(read);
    if (read !== "read" || kept === undefined) {
      table.dropFrom(from);
      files[number] = { file, gone: true, rows: [from, from] };
      return;
    }
    const { dev, ino, size, mtimeMs } = file;
    const ends = endsOf(path, kept.offset) ?? { head: "", tail: "" };
    const own = { path, dev, ino, size, mtimeMs, ...ends, progress: kept };
    files[number] = {
      file,
      gone: false,
      rows: [from, table.count],
      known: {
        ...filePlaceOf(file),
        ...own,
        ...(isSame(kept, progress) ? {} : { shown: structuredClone(progress) }),
        stored: known !== undefined && known.ino === ino && known.stored <= kept.offset ? known.stored : 0,
      },
      ...(calls === undefined ? {} : { stored: { ...own, calls } }),
    };
  }

  /** The files that hold one of these files' calls, or one of `keys`. */
  function sharing(numbers: ReadonlySet<number>, keys: readonly number[]): number[] {
    const wanted = new Set(keys);
    for (const number of numbers) for (const key of keysOf(number)) wanted.add(key);
    return found.flatMap((file, number) => {
      const known = old.get(file.path);
      if (numbers.has(number) || known === undefined) return [];
      return before?.keys[known.index]?.some((key) => wanted.has(key)) ? [number] : [];
    });
  }

  function oldKeys(number: number): number[] {
    return keysByPath((found[number] as TranscriptFile).path);
  }

  function keysByPath(path: string): number[] {
    return [...(before?.keys[old.get(path)?.index ?? -1] ?? [])];
  }

  function keysOf(number: number): Uint32Array {
    const loaded = files[number];
    if (loaded === undefined) return before?.keys[old.get((found[number] as TranscriptFile).path)?.index ?? -1] ?? none;
    const [from, to] = loaded.rows;
    const { words } = table;
    const keys = new Uint32Array(to - from);
    for (let row = from; row < to; row++) keys[row - from] = words[row * wordColumn.size + wordColumn.keyA] as number;
    return keys;
  }

  function makeManifest(): Manifest {
    const kept = found.flatMap((file, number) => {
      const loaded = files[number];
      if (loaded?.gone) return [];
      const known = loaded?.known ?? old.get(file.path)?.file;
      return known === undefined ? [] : [{ number, file, known }];
    });
    const position = new Map(kept.map(({ number }, index) => [number, index]));
    const infos = new Map<number, ReturnType<typeof ownerInfo>>();
    const infoOf = (number: number) => {
      let info = infos.get(number);
      if (info === undefined) {
        info = ownerInfo(ledgerFileOf(files[number]?.known as KnownFile));
        infos.set(number, info);
      }
      return info;
    };
    const fresh = rollUp(table, names, infoOf, prices, (number) => redo.has(number));
    const oldPosition = new Map<number, number>();
    kept.forEach(({ number, file }, index) => {
      const known = old.get(file.path);
      if (known !== undefined && !redo.has(number)) oldPosition.set(known.index, index);
    });
    return {
      generation: (before?.generation ?? 0) + 1,
      prices: prices.fingerprint,
      files: kept.map(({ known }) => known),
      names: [...names.texts],
      rollups: joinRollups(renumbered(before?.rollups, oldPosition), renumbered(fresh, position)),
      keys: kept.map(({ number }) => keysOf(number)),
    };
  }
}

interface Loaded {
  readonly file: TranscriptFile;
  /** It vanished between being found and being read, or cannot be read. */
  readonly gone: boolean;
  /** From which row of the table to which. */
  readonly rows: readonly [number, number];
  readonly known?: KnownFile;
  readonly stored?: StoredFile;
}

const none = new Uint32Array(0);

function isSame(one: ScanProgress, other: ScanProgress): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
