import type { TranscriptFile } from "../../sessions/internal.ts";
import type { OwnerInfo } from "../calls/resolve-calls.ts";
import { type Rollups, sumColumn } from "../calls/rollups.ts";
import type { ScanProgress } from "../scan/file-facts.ts";
import type { UnreadFile } from "../scan/scan-files.ts";

/** All usage in the transcripts, added up: what all reports are made from. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Models and agents, by number. */
  readonly names: readonly string[];
  readonly rollups: Rollups;
  readonly from: "scan" | "index";
  /** What went wrong with the index; it was rebuilt or not used. */
  readonly notes: readonly string[];
  /** What exists and is in no figure. */
  readonly unread: readonly UnreadFile[];
}

/** One transcript, read. */
export interface LedgerFile extends Omit<TranscriptFile, "root" | "session">, ScanProgress {
  readonly root: string;
  /** The session its calls belong to. */
  readonly session: string;
}

export function ledgerFile(
  file: Omit<TranscriptFile, "root"> & { readonly root: string },
  progress: ScanProgress,
): LedgerFile {
  return { ...file, ...progress, session: file.session ?? progress.facts.sessionId ?? "" };
}

export function ownerInfo({ path, session, facts }: LedgerFile): OwnerInfo {
  return { path, session, firstAt: facts.firstAt ?? Number.NaN, ancestors: facts.ancestors };
}

/** The rollups of these files, under the new number of each file. */
export function renumbered(rollups: Rollups | undefined, numbers: ReadonlyMap<number, number>): Float64Array {
  if (rollups === undefined) return new Float64Array(0);
  const out = new Float64Array(rollups.sums.length);
  let length = 0;
  for (let at = 0; at < rollups.count * sumColumn.size; at += sumColumn.size) {
    const number = numbers.get(rollups.sums[at + sumColumn.file] as number);
    if (number === undefined) continue;
    out.set(rollups.sums.subarray(at, at + sumColumn.size), length);
    out[length + sumColumn.file] = number;
    length += sumColumn.size;
  }
  return out.subarray(0, length);
}

export function joinRollups(one: Float64Array, other: Float64Array): Rollups {
  const sums = new Float64Array(one.length + other.length);
  sums.set(one);
  sums.set(other, one.length);
  return { count: sums.length / sumColumn.size, sums };
}
