import { join } from "node:path";
import { type Fs, nodeFs, openFolder, takeLock } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { wordColumn } from "../calls/call-table.ts";
import { rollUp } from "../calls/rollups.ts";
import type { PriceTable } from "../prices/price-table.ts";
import type { ScanOptions } from "../scan/scanner.ts";
import {
  type EarlierIndex,
  isUnchanged,
  ledgerFileOf,
  ledgerOf,
  type Manifest,
  manifestName,
  pruneKept,
  readIndexManifest,
  writeIndexManifest,
} from "./index-files.ts";
import { joinRollups, type Ledger, openScan, ownerInfo, renumbered, type UnreadFile } from "./ledger.ts";
import { type FreshFile, type KeepOptions, readTranscript } from "./read-transcript.ts";

export interface IndexOptions extends ScanOptions, Omit<KeepOptions, "keepOver"> {
  /** Default: what is read in about a tenth of a second. */
  readonly keepOver?: number;
  readonly fs?: Fs;
}

const waitMs = 250;
const usualKeepOver = 64 * 1024 * 1024;

/**
 * The ledger of these files, from what earlier runs kept and from what changed since. The figures are those of a fresh scan:
 * a damaged index costs time, never a figure.
 */
export async function indexedLedger(
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: IndexOptions,
): Promise<Ledger> {
  const { folder, fs = nodeFs, keepOver = usualKeepOver } = options;
  const earlier = () => (options.rescan ? {} : readIndexManifest(folder));
  const { manifest: known } = earlier();
  if (isCurrent(known)) return ledgerOf(known);
  try {
    await openFolder(folder, fs);
    const lock = await takeLock(join(folder, "usage"), { waitMs, fs });
    if (!lock.held) return await withoutWriting(known, []);
    try {
      return await bringUpToDate(earlier());
    } finally {
      await lock.release();
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    const why = messageOf(cause);
    const note = `the index could not be written (${why}): everything was read for this answer alone`;
    return withoutWriting(undefined, [note]);
  }

  function isCurrent(manifest: Manifest | undefined): manifest is Manifest {
    if (manifest?.prices !== prices.fingerprint || manifest.files.length !== found.length) return false;
    return found.every((file, index) => {
      const one = manifest.files[index];
      return one !== undefined && one.path === file.path && isUnchanged(one, file);
    });
  }

  async function withoutWriting(before: Manifest | undefined, notes: readonly string[]): Promise<Ledger> {
    const { manifest, unread } = await refresh(before, found, prices, { ...options, keepOver: Infinity });
    return { ...ledgerOf(manifest), notes, unread, from: "scan" };
  }

  /** Contract: the lock is held. */
  async function bringUpToDate({ manifest: before, fault }: EarlierIndex): Promise<Ledger> {
    // The process that had the lock may have done the work.
    if (isCurrent(before)) return ledgerOf(before);
    const notes: string[] = [];
    if (fault !== undefined) {
      const path = join(folder, manifestName);
      await fs.rename(path, `${path}.broken`);
      notes.push(`the index was ${fault}: it was discarded and rebuilt`);
    }
    const { manifest, unread } = await refresh(before, found, prices, { ...options, keepOver });
    pruneKept(folder, Date.now());
    await writeIndexManifest(folder, manifest, fs).catch((cause: unknown) => {
      notes.push(`the index could not be written: ${messageOf(cause)}`);
    });
    return { ...ledgerOf(manifest), notes, unread };
  }
}

/**
 * Brings what is known up to date with the files that exist. Only files that changed are read, and those that share
 * calls with them: for a call that several files hold, one change can move the owner. All other figures stay as they are.
 * Files that exist and could not be read are in `unread`; the manifest does not hold them, so the next run tries again.
 */
async function refresh(
  before: Manifest | undefined,
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: ScanOptions & KeepOptions,
): Promise<{ readonly manifest: Manifest; readonly unread: readonly UnreadFile[] }> {
  const scan = openScan(found, options, before?.names);
  const { table, names, unread } = scan;
  const old = new Map(before?.files.map((file, index) => [file.path, { file, index }]));
  const isNew = before === undefined || before.prices !== prices.fingerprint;
  /** By number: a file that was read, or "gone" when it vanished since it was found, or cannot be read. */
  const files: (FreshFile | "gone" | undefined)[] = [];
  const present = new Set(found.map((file) => file.path));
  const removed = [...old.keys()].filter((path) => !present.has(path));

  const isChanged = (file: TranscriptFile) => {
    const known = old.get(file.path);
    return isNew || known === undefined || !isUnchanged(known.file, file);
  };
  const changed = new Set([...found.keys()].filter((number) => isChanged(found[number] as TranscriptFile)));
  for (const number of changed) await load(number);

  const redo = new Set(changed);
  if (!isNew) for (const number of sharing(changed)) redo.add(number);
  for (const number of redo) if (!changed.has(number)) await load(number);
  // Their own calls stay as they are, but they may own calls of the files before.
  if (!isNew) for (const number of sharing(redo)) if (!redo.has(number)) await load(number);
  return { manifest: makeManifest(), unread };

  async function load(number: number): Promise<void> {
    files[number] = (await readTranscript(scan, found[number] as TranscriptFile, number, options)) ?? "gone";
    options.signal?.throwIfAborted();
  }

  /** The other files that have a call of these files, as they are or were, or of a removed file. */
  function sharing(numbers: ReadonlySet<number>): number[] {
    const wanted = new Set(removed.flatMap((path) => [...knownKeys(path)]));
    for (const number of numbers) {
      for (const key of keysOf(number)) wanted.add(key);
      for (const key of knownKeys(pathOf(number))) wanted.add(key);
    }
    return [...found.keys()].filter(
      (number) => !numbers.has(number) && knownKeys(pathOf(number)).some((key) => wanted.has(key)),
    );
  }

  function pathOf(number: number): string {
    return (found[number] as TranscriptFile).path;
  }

  function knownKeys(path: string): Uint32Array {
    return before?.keys[old.get(path)?.index ?? -1] ?? none;
  }

  function keysOf(number: number): Uint32Array {
    const loaded = files[number];
    if (loaded === undefined) return knownKeys(pathOf(number));
    if (loaded === "gone") return none;
    const [from, to] = loaded.rows;
    const { words } = table;
    const keys = new Uint32Array(to - from);
    for (let row = from; row < to; row++) keys[row - from] = words[row * wordColumn.size + wordColumn.keyA] as number;
    return keys;
  }

  function makeManifest(): Manifest {
    const kept = found.flatMap((file, number) => {
      const loaded = files[number];
      const known = typeof loaded === "object" ? loaded.known : old.get(file.path)?.file;
      return known === undefined || loaded === "gone" ? [] : [{ number, known, old: old.get(file.path)?.index }];
    });
    const position = new Map(kept.map(({ number }, index) => [number, index]));
    const infoOf = (number: number) => ownerInfo(ledgerFileOf((files[number] as FreshFile).known));
    const fresh = rollUp(table, names, infoOf, prices, (number) => redo.has(number));
    const oldPosition = new Map<number, number>();
    kept.forEach(({ number, old }, index) => {
      if (old !== undefined && !redo.has(number)) oldPosition.set(old, index);
    });
    return {
      prices: prices.fingerprint,
      files: kept.map(({ known }) => known),
      names: [...names.texts],
      rollups: joinRollups(renumbered(before?.rollups, oldPosition), renumbered(fresh, position)),
      keys: kept.map(({ number }) => keysOf(number)),
    };
  }
}

const none = new Uint32Array(0);
