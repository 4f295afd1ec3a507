import { defined } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import type { OwnerInfo } from "../calls/resolve-calls.ts";
import type { Rollups } from "../calls/rollups.ts";
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
