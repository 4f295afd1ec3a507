import { join } from "node:path";
import { type Fs, nodeFs, openFolder, takeLock } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import type { PriceTable } from "../prices/price-table.ts";
import type { ScanOptions } from "../scan/scanner.ts";
import { type CallStore, openCallStore } from "./call-store.ts";
import {
  isUnchanged,
  ledgerOf,
  type Manifest,
  manifestName,
  pruneLive,
  readIndexManifest,
  writeIndexManifest,
} from "./index-files.ts";
import type { Ledger } from "./ledger.ts";
import { refresh } from "./refresh-ledger.ts";

export interface IndexOptions extends ScanOptions {
  /** The folder of the index; made if missing. */
  readonly folder: string;
  /** Forget what is known and read everything again. */
  readonly rescan?: boolean;
  /** Up to this many bytes are read again instead of from the database. */
  readonly cheapBytes?: number;
  readonly fs?: Fs;
}

const waitMs = 250;
/** Loading the database's driver takes about as long as reading this much: below it, files are simply read again. */
const usuallyCheapBytes = 384 * 1024 * 1024;

/**
 * The ledger of these files, from what earlier runs kept and from what changed since. The figures are those of a fresh scan:
 * a damaged index costs time, never a figure.
 */
export async function indexedLedger(
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: IndexOptions,
): Promise<Ledger> {
  const known = options.rescan ? "missing" : readIndexManifest(options.folder);
  if (typeof known === "object" && isCurrent(known, found, prices)) return ledgerOf(known);
  try {
    const { fs = nodeFs } = options;
    await openFolder(options.folder, fs);
    const lock = await takeLock(join(options.folder, "usage"), { waitMs, fs });
    if (!lock.held) return await withoutWriting(known, found, prices, options, []);
    try {
      // The process that had the lock may have done the work.
      const before = options.rescan ? known : readIndexManifest(options.folder);
      if (typeof before === "object" && isCurrent(before, found, prices)) return ledgerOf(before);
      return await bringUpToDate(before, found, prices, options);
    } finally {
      await lock.release();
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    const why = messageOf(cause);
    const note = `the index could not be written (${why}): everything was read for this answer alone`;
    return withoutWriting("missing", found, prices, options, [note]);
  }
}

function isCurrent(manifest: Manifest, found: readonly TranscriptFile[], prices: PriceTable): boolean {
  if (manifest.prices !== prices.fingerprint || manifest.files.length !== found.length) return false;
  return found.every((file, index) => {
    const known = manifest.files[index];
    return known !== undefined && known.path === file.path && isUnchanged(known, file);
  });
}

async function withoutWriting(
  known: ReturnType<typeof readIndexManifest>,
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: IndexOptions,
  notes: readonly string[],
): Promise<Ledger> {
  const before = typeof known === "object" ? known : undefined;
  const { manifest, unread } = await refresh(before, found, prices, options);
  return { ...ledgerOf(manifest), notes, unread, from: "scan" };
}

/** Contract: the lock is held. */
async function bringUpToDate(
  known: ReturnType<typeof readIndexManifest>,
  found: readonly TranscriptFile[],
  prices: PriceTable,
  options: IndexOptions,
): Promise<Ledger> {
  const notes: string[] = [];
  const { fs = nodeFs, cheapBytes = usuallyCheapBytes } = options;
  const path = join(options.folder, manifestName);
  if (known === "damaged" || known === "outdated") {
    await fs.rename(path, `${path}.broken`);
    notes.push(`the index was ${known}: it was discarded and rebuilt`);
  }
  const before = typeof known === "object" ? known : undefined;
  const unsaved = (before?.files ?? []).reduce((all, file) => all + file.progress.offset - file.stored, 0);
  const wantsStore = before === undefined || unsaved > cheapBytes || before.prices !== prices.fingerprint;
  let store: CallStore | undefined;
  let isClosed = false;
  let readAgain = 0;
  /** A machine whose driver does not load has no database; the manifest is still kept. */
  const open = async (): Promise<CallStore | undefined> => {
    if (store !== undefined || isClosed) return store;
    try {
      store = await openCallStore(options.folder);
    } catch (cause) {
      isClosed = true;
      notes.push(`the index has no database: ${messageOf(cause)}`);
    }
    return store;
  };
  try {
    if (wantsStore) await open();
    const { manifest, loaded, unread } = await refresh(before, found, prices, {
      ...options,
      store: wantsStore,
      async storedFile(file, have) {
        if (options.rescan || (have !== undefined && have.stored === 0)) return undefined;
        readAgain += file.size;
        if (store === undefined && readAgain <= cheapBytes) return undefined;
        return (await open())?.fileAt(file.path);
      },
    });
    if (wantsStore) store?.save(loaded, new Set(found.map((file) => file.path)));
    const isSaved = wantsStore && store !== undefined && store.note === undefined;
    const saved = new Set(isSaved ? loaded.map((file) => file.path) : []);
    const files = manifest.files.map((file) =>
      saved.has(file.path) ? { ...file, stored: file.progress.offset } : file,
    );
    if (store?.note !== undefined) notes.push(store.note);
    pruneLive(options.folder, Date.now());
    await writeIndexManifest(options.folder, { ...manifest, files }, fs).catch((cause: unknown) => {
      notes.push(`the index could not be written: ${messageOf(cause)}`);
    });
    return { ...ledgerOf(manifest), notes, unread };
  } finally {
    store?.close();
  }
}
