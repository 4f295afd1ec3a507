import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { ignoringErrors, isInside } from "../../files/internal.ts";
import { formatDriftOf } from "../formats/claude-code/format-drift.ts";
import type { Entry, TranscriptItem } from "../model/entry.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { missingParts } from "../parts/restore-large-parts.ts";
import { largePartsIn } from "../parts/spill-large-parts.ts";
import type { RecordPosition } from "../read/json-records.ts";
import type { Tail } from "../read/read-lines.ts";

/** The severity of a finding of `validateSession`. */
export type Severity = "error" | "warning" | "note";

/** Something a check found, and where. */
export interface CheckFinding extends Pick<RecordPosition, "file" | "line" | "offset"> {
  readonly code: string;
  readonly severity: Severity;
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

/** What concerns the session as a whole: whose lines they are, its agents, the files its lines name. */
export const checkSession: SessionCheck = async function* (session) {
  yield* identity(session);
  yield* agents(session);
  yield* spilled(session);
  yield* usage(session);
  yield* drift(session);
};

function* identity({ model, threads }: CheckedSession): Generator<CheckFinding> {
  for (const { entries } of threads) {
    const ids = new Set([model.id]);
    const versions = new Set<string>();
    for (const entry of entries) {
      const { sessionId, version, line } = entry;
      if (sessionId !== undefined && !ids.has(sessionId)) {
        ids.add(sessionId);
        yield findingAt(entry, "session-id-mixed", "error", `line ${line} belongs to session ${sessionId}`);
      }
      if (version === undefined || versions.has(version)) continue;
      versions.add(version);
      if (versions.size > 1)
        yield findingAt(entry, "mixed-versions", "warning", `from line ${line} on, version ${version} wrote`);
    }
  }
}

function* agents({ model }: CheckedSession): Generator<CheckFinding> {
  for (const agent of model.agents) {
    if (agent.borrowedFrom !== undefined) continue;
    const place = { file: agent.file, line: 1, offset: 0 };
    const listed = model.files.agents.find(({ file }) => file === agent.file);
    if (agent.linkedBy === "none") {
      const message = `nothing says which call started agent ${agent.id}`;
      yield { ...place, code: "agent-unlinked", severity: "warning", message };
    }
    if (agent.meta === undefined && listed !== undefined && listed.nextToMain !== true && listed.run === undefined) {
      const message = `agent ${agent.id} has no readable .meta.json`;
      yield { ...place, code: "meta-missing", severity: "warning", message };
    }
  }
}

async function* spilled({ model, threads }: CheckedSession): AsyncGenerator<CheckFinding> {
  const folder = join(model.place.folder, model.id);
  const isFile = async (path: string) => (await ignoringErrors(["ENOENT", "ENOTDIR"], lstat(path)))?.isFile() === true;
  for (const { toolCalls, entries } of threads) {
    for (const { result, spilled: named } of toolCalls) {
      if (named === undefined || result === undefined) continue;
      // A session that was moved or copied names the path it had before.
      const inside = isInside(named.path, folder) ? named.path : join(folder, "tool-results", basename(named.path));
      if ((await isFile(inside)) || (await isFile(`${inside}.gz`))) continue;
      yield findingAt(result, "spilled-file-missing", "warning", `the whole output, ${named.path}, is missing`);
    }
    for (const entry of entries) {
      if (largePartsIn({ hookline: entry.hookline }).length === 0) continue;
      const written = JSON.parse(Buffer.from(entry.raw()).toString("utf8")) as Readonly<Record<string, unknown>>;
      for (const { file, why } of missingParts(written, entry.file)) {
        const fault = why.includes("ENOENT") ? "is missing" : `cannot be restored (${why})`;
        yield findingAt(entry, "spilled-file-missing", "warning", `a part of line ${entry.line}, ${file}, ${fault}`);
      }
    }
  }
}

function* usage({ threads, live }: CheckedSession): Generator<CheckFinding> {
  for (const { calls } of threads) {
    for (const call of calls) {
      const [first] = call.lines;
      if (first === undefined) continue;
      if (call.conflict)
        yield findingAt(first, "usage-conflict", "warning", `the lines of ${call.key} disagree about its input`);
      const running = live && call === calls.at(-1);
      if (call.stopReason !== null || running) continue;
      const message = `${call.key} has no final line: its output tokens are too few`;
      yield findingAt(first, "interim-only-call", "warning", message);
    }
  }
}

/** One note per kind and conversation, with how often each name occurs: a newer version of Claude Code must not bury what is wrong. */
function* drift({ threads }: CheckedSession): Generator<CheckFinding> {
  for (const { items } of threads) {
    yield* unknownNames(items, "type");
    yield* unknownNames(items, "field");
  }
}

function* unknownNames(items: readonly TranscriptItem[], what: "type" | "field"): Generator<CheckFinding> {
  const key = what === "type" ? "unknownTypes" : "unknownFields";
  const names = new Map<string, number>();
  let first: TranscriptItem | undefined;
  for (const item of items) {
    for (const [name, count] of formatDriftOf([item]).flatMap((one) => Object.entries(one[key]))) {
      first ??= item;
      names.set(name, (names.get(name) ?? 0) + count);
    }
  }
  if (first !== undefined) yield findingAt(first, `unknown-${what}`, "note", unknownText(names, what));
}

function unknownText(names: ReadonlyMap<string, number>, what: string): string {
  const list = [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} (${count})`);
  return `${names.size} unknown ${what}${names.size === 1 ? "" : "s"}, kept unchanged: ${list.join(", ")}`;
}
