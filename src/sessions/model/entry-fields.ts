import type { RawBytes } from "../read/json-records.ts";

/** Where an entry lies and how it was read. */
export interface EntryPosition {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** Counted from 1; 0 where the lines before were not read, as in a window from the end. */
  readonly line: number;
  /** The exact bytes, read again from disk; throws `sessions/changed` when the file was replaced meanwhile. */
  readonly raw: RawBytes;
  readonly lossy?: true;
  readonly recovered?: true;
  readonly unterminated?: true;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What an entry that is part of the conversation's graph carries. */
export interface ConversationFields extends EntryPosition {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly isSidechain: boolean;
  readonly timestamp?: string;
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly version?: string;
  readonly gitBranch?: string;
  readonly userType?: string;
  readonly entrypoint?: string;
  readonly agentId?: string;
  readonly slug?: string;
  /** The session this one came from, as some versions note it. */
  readonly ancestorSessionId?: string;
  readonly forkedFrom?: unknown;
  /** What our own store notes: where parts lie that were too large for the line. */
  readonly hookline?: unknown;
}
