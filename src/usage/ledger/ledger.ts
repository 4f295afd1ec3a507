import { defined } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import type { OwnerInfo } from "../calls/resolve-calls.ts";
import { type Rollups, sumColumn } from "../calls/rollups.ts";
import type { FileFacts, ScanProgress, UnreadablePlace } from "../scan/file-facts.ts";
import type { UnreadFile } from "../scan/scan-files.ts";

/** Everything the transcripts say about use, added up: the one thing all reports are made from. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Models and agents, by number. */
  readonly names: readonly string[];
  readonly rollups: Rollups;
  readonly from: "scan" | "index";
  /** What went wrong with the index; it was put right or left out. */
  readonly notes: readonly string[];
  /** What is there and is in no figure. */
  readonly unread: readonly UnreadFile[];
}

/** One transcript, read. */
export interface LedgerFile {
  readonly path: string;
  readonly root: string;
  readonly project: string;
  /** The session its calls belong to. */
  readonly session: string;
  /** Absent for a main transcript. */
  readonly agent?: string;
  /** Where a note about the agent would lie; it is read only by reports that show it. */
  readonly meta?: string;
  readonly facts: FileFacts;
  readonly bytes: number;
  readonly unreadable: number;
  readonly unreadablePlaces: readonly UnreadablePlace[];
  readonly fallback: number;
}

export function ownerInfo(file: LedgerFile): OwnerInfo {
  const { path, session, facts } = file;
  return { path, session, firstAt: facts.firstAt ?? Number.NaN, ancestors: facts.ancestors };
}

export function ledgerFile(
  place: { readonly path: string; readonly root: string; readonly project: string } & Pick<
    TranscriptFile,
    "session" | "agent" | "meta"
  >,
  bytes: number,
  { facts, unreadable, unreadablePlaces, fallback }: ScanProgress,
): LedgerFile {
  const { path, root, project, session, agent, meta } = place;
  return {
    path,
    root,
    project,
    session: session ?? facts.sessionId ?? "",
    ...defined({ agent, meta }),
    facts,
    bytes,
    unreadable,
    unreadablePlaces,
    fallback,
  };
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
