import type { RawBytes } from "../read/json-records.ts";

/** Where an entry is and how it was read. */
export interface EntryPosition {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** Counted from 1; 0 when earlier lines were not read, as in a window at the end. */
  readonly line: number;
  /** Reads the exact bytes again. Throws `sessions/changed` when the file was replaced since. */
  readonly raw: RawBytes;
  readonly lossy?: true;
  readonly recovered?: true;
  readonly unterminated?: true;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The fields of an entry that is a node of the conversation graph. */
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
  /** The session that this one continues. Only some versions write it. */
  readonly ancestorSessionId?: string;
  readonly forkedFrom?: unknown;
  /** Written by our store: the files of parts that are too large for the line. */
  readonly hookline?: unknown;
}
