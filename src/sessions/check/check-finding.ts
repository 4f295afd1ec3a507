import type { Entry, TranscriptItem } from "../model/entry.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import type { Tail } from "../read/read-lines.ts";

export type Severity = "error" | "warning" | "note";

/** Something a check found, and where. */
export interface CheckFinding {
  readonly code: string;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly offset: number;
  readonly uuid?: string;
  readonly message: string;
}

/** A session under examination. */
export interface CheckedSession {
  readonly model: SessionModel;
  /** A process is still writing it: its last line may be under way. */
  readonly live: boolean;
  /** The session's own conversations, without subagents whose files belong to another session. */
  readonly threads: readonly Conversation[];
  readonly tails: readonly FileTail[];
}

/** Bytes behind the last newline of a file. */
export interface FileTail extends Tail {
  readonly file: string;
  readonly line: number;
}

/** Contract: changes nothing. Callers may add their own. */
export type SessionCheck = (session: CheckedSession) => Iterable<CheckFinding> | AsyncIterable<CheckFinding>;

export function findingAt(item: TranscriptItem, code: string, severity: Severity, message: string): CheckFinding {
  const { file, line, offset } = item;
  const uuid = item.kind === "unreadable" ? undefined : item.uuid;
  return { code, severity, file, line, offset, ...(uuid === undefined || uuid === "" ? {} : { uuid }), message };
}

/** Lines whose uuid was written again later count no more, so what they say is not wrong either. */
export function* countedEntries(thread: Conversation): Generator<Entry> {
  for (const entry of thread.entries) if (!thread.graph.superseded(entry)) yield entry;
}
