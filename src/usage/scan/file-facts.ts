import { fstatSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import { openFlags, withFileSync } from "../../files/internal.ts";
import { attempt, fieldOf, parseJson, textField } from "../../protocol/internal.ts";
import { forkNotePath, forkSourceIn, type JsonRecord, textsIn, toEntry } from "../../sessions/internal.ts";
import { timestampMs } from "../calls/usage-record.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a transcript says about its session in addition to its calls: title, turns, limits, Claude Code's own figure. */
export interface FileFacts {
  /** The first value in the file counts for these three. */
  cwd?: string | undefined;
  sessionId?: string | undefined;
  agentType?: string | undefined;
  /** Sessions that this one names as its source. */
  readonly ancestors: string[];
  /** The first time written in any line, in milliseconds. */
  firstAt?: number | undefined;
  customTitle?: string | undefined;
  aiTitle?: string | undefined;
  summary?: string | undefined;
  firstPrompt?: string | undefined;
  /** Prompts, notifications, teammates' messages, and commands that an answer followed. */
  turns: number;
  /** A command that no answer has followed yet. */
  pending: boolean;
  /** When a limit was reached and when it ends, both in milliseconds. */
  readonly limits: { readonly at: number; readonly resetAt: number }[];
  /** Claude Code's own cost of this session, in micro-dollars; the last value counts. */
  clientMicroUsd?: number | undefined;
}

export function addAncestor(facts: FileFacts, session: string | undefined): void {
  if (session && !facts.ancestors.includes(session)) facts.ancestors.push(session);
}

/** A command that an answer follows is a turn. */
export function closePendingCommand(facts: FileFacts): void {
  if (facts.pending) countFileTurn(facts);
}

/** A prompt whose text is not needed. */
export function countFileTurn(facts: FileFacts): void {
  facts.pending = false;
  facts.turns++;
}

/** Adds the facts of a parsed line. */
export function addRecordFacts(facts: FileFacts, object: Json, isMain: boolean): void {
  if (facts.firstAt === undefined) {
    const at = timestampMs(object["timestamp"]);
    if (!Number.isNaN(at)) facts.firstAt = at;
  }
  facts.cwd ??= textField(object, "cwd");
  facts.sessionId ??= textField(object, "sessionId");
  facts.agentType ??= textField(object, "attributionAgent");
  addAncestor(facts, textField(object, "session_id"));
  addAncestor(facts, forkSourceIn(object["forkedFrom"]));
  if (isMain) addFactsByType(facts, object);
}

const titleFields = { "custom-title": "customTitle", "ai-title": "aiTitle", summary: "summary" } as const;

function addFactsByType(facts: FileFacts, object: Json): void {
  switch (object["type"]) {
    case "user":
      if (object["isSidechain"] !== true) addUserFacts(facts, object);
      return;
    case "assistant":
      if (object["isSidechain"] !== true && !isFiller(object)) closePendingCommand(facts);
      if (object["isApiErrorMessage"] === true) addLimit(facts, object);
      return;
    case "custom-title":
    case "ai-title":
    case "summary": {
      const field = titleFields[object["type"]];
      facts[field] = textField(object, field) ?? facts[field];
      return;
    }
    case "cost-state":
      facts.clientMicroUsd = claudeCodeCost(object) ?? facts.clientMicroUsd;
      return;
  }
}

/** An answer that Claude Code wrote itself to fill a gap. */
function isFiller(object: Json): boolean {
  return fieldOf(object["message"], "model") === "<synthetic>" && object["isApiErrorMessage"] !== true;
}

function addUserFacts(facts: FileFacts, object: Json): void {
  const entry = toEntry({ ...nowhere, object });
  if (entry.kind !== "user") return;
  if (entry.role === "command") facts.pending = true;
  if (entry.role !== "prompt" && entry.role !== "notification" && entry.role !== "teammate") return;
  countFileTurn(facts);
  if (entry.role === "prompt") facts.firstPrompt ??= textsIn(entry.content)[0]?.slice(0, longestTitle);
}

/** The kind of a line does not depend on its position. */
const nowhere: Omit<JsonRecord, "object"> = {
  kind: "record",
  file: "",
  offset: 0,
  length: 0,
  line: 0,
  raw: () => new Uint8Array(0),
};

/** `Claude AI usage limit reached|1751234567`: when it ends, in seconds. */
function addLimit(facts: FileFacts, object: Json): void {
  const seconds = /\|(\d{9,11})\b/.exec(JSON.stringify(object["message"] ?? ""))?.[1];
  const at = timestampMs(object["timestamp"]);
  if (seconds !== undefined && !Number.isNaN(at)) facts.limits.push({ at, resetAt: Number(seconds) * 1000 });
}

/** The shape of this line is not fixed: the first amount whose name begins with "total cost" is taken. */
function claudeCodeCost(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === "number" && /^total_?cost/i.test(name)) return Math.round(inner * 1e6);
    const nested = claudeCodeCost(inner);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

const longestTitle = 200;

/** How far a file has been read, and the facts found so far. Plain data: it is kept between runs. */
export interface ScanProgress {
  /** One past the last newline that was read. */
  offset: number;
  lines: number;
  readonly facts: FileFacts;
  /** Lines that hold no record, or not a whole one. */
  unreadable: number;
  readonly unreadablePlaces: UnreadablePlace[];
  /** Lines that needed a JSON parser. */
  fallback: number;
}

export interface UnreadablePlace {
  readonly line: number;
  readonly offset: number;
  readonly why: string;
}

export function newScanProgress(): ScanProgress {
  const facts: FileFacts = { ancestors: [], turns: 0, pending: false, limits: [] };
  return { offset: 0, lines: 0, facts, unreadable: 0, unreadablePlaces: [], fallback: 0 };
}

const largestNote = 64 * 1024;

/** The session that a transcript was forked from, by the note next to it. The lines of a fork do not name it. */
export function forkSource(path: string): string | undefined {
  const packed = path.endsWith(".gz") ? ".gz" : "";
  const note = forkNotePath({ folder: dirname(path), id: basename(path, `.jsonl${packed}`) });
  // Nearly all transcripts have no note. Then, and when it cannot be read, only the lines are known.
  return attempt(() =>
    withFileSync(`${note}${packed}`, openFlags.reading, (descriptor) => {
      const stat = fstatSync(descriptor);
      if (!stat.isFile() || stat.size > largestNote) return undefined;
      const bytes = readFileSync(descriptor);
      const text = packed === "" ? bytes : gunzipSync(bytes, { maxOutputLength: largestNote });
      return forkSourceIn(fieldOf(parseJson(text.toString("utf8")), "forkedFrom"));
    }),
  );
}
