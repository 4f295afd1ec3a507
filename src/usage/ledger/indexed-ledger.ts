import { join } from "node:path";
import { type Fs, nodeFs, openFolder, takeLock } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import type { PriceTable } from "../prices/price-table.ts";
import type { ScanOptions } from "../scan/scanner.ts";
import {
  type EarlierIndex,
  isUnchanged,
  ledgerOf,
  type Manifest,
  manifestName,
  pruneKept,
  readIndexManifest,
  writeIndexManifest,
} from "./index-files.ts";
import type { Ledger } from "./ledger.ts";
import type { KeepOptions } from "./read-transcript.ts";
import { refresh } from "./refresh-ledger.ts";

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
