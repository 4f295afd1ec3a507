import { conversationTypes } from "../formats/claude-code/write-record.ts";
import type { AssistantEntry, Entry, UserEntry } from "../model/entry.ts";
import { type GraphEntry, isBoundary } from "../model/entry-graph.ts";
import { callKey } from "../model/model-call.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { uuidPattern } from "../safe-paths.ts";
import { type CheckFinding, countedEntries, findingAt, type SessionCheck } from "./check-session.ts";

/** The links between the entries of each conversation. */
export const checkLinks: SessionCheck = function* ({ threads }) {
  for (const thread of threads) {
    yield* badUuids(thread);
    yield* graphFindings(thread);
    yield* roots(thread);
    yield* times(thread);
  }
};

export function hasBadUuid({ kind, uuid }: { readonly kind: string; readonly uuid?: string }): boolean {
  if (uuid === undefined || uuid === "") return conversationTypes.includes(kind);
  return !uuidPattern.test(uuid);
}

function* badUuids(thread: Conversation): Generator<CheckFinding> {
  for (const entry of countedEntries(thread)) {
    if (!hasBadUuid(entry)) continue;
    const fault = entry.uuid ? `${JSON.stringify(entry.uuid)} is not a UUID` : "has no uuid";
    yield findingAt(entry, "bad-uuid", "error", `line ${entry.line}: ${fault}`);
  }
}

function* graphFindings({ graph }: Conversation): Generator<CheckFinding> {
  const repeated = repeatedLines(graph.nodes);
  for (const { what, entry } of graph.findings) {
    const { line, parentUuid, uuid } = entry;
    const isRepeated = repeated.has(entry);
    const how = isRepeated ? "word for word" : "with other content; the later line counts";
    const messages = {
      "duplicate-uuid": `line ${line} repeats the uuid of an earlier line ${how}`,
      "parent-missing": `line ${line} has the parent ${parentUuid}, which is not in this file`,
      "parent-cycle": `line ${line} (${uuid}) is its own ancestor`,
      "logical-parent-missing": `the compaction at line ${line} continues an entry that is not in this file`,
    };
    const isHarmless = what === "duplicate-uuid" ? isRepeated : what === "logical-parent-missing";
    yield findingAt(entry, what, isHarmless ? "warning" : "error", messages[what]);
  }
}

/** Lines that repeat, byte for byte, the line of the same uuid before them. */
function repeatedLines(nodes: readonly GraphEntry[]): ReadonlySet<GraphEntry> {
  const newest = new Map<string, GraphEntry>();
  const repeated = new Set<GraphEntry>();
  for (const node of nodes) {
    const before = newest.get(node.uuid);
    if (before !== undefined && Buffer.from(node.raw()).equals(before.raw())) repeated.add(node);
    newest.set(node.uuid, node);
  }
  return repeated;
}

function* roots({ graph }: Conversation): Generator<CheckFinding> {
  const tops = graph.nodes.filter((node) => node.parentUuid === null && !graph.superseded(node));
  const [first] = graph.nodes;
  if (first === undefined) return;
  if (tops.length === 0) yield findingAt(first, "root-missing", "error", "no entry begins this conversation");
  const beginnings = tops.filter((node) => !isBoundary(node));
  for (const entry of beginnings.slice(1)) {
    yield findingAt(entry, "several-roots", "note", `line ${entry.line} begins the conversation again`);
  }
}

/** Claude Code writes some lines late, so this much is usual. */
const usualSpreadMs = 60_000;

/** Timestamps decide nothing here, but a large step back shows that lines were mixed or edited. */
function* times({ graph }: Conversation): Generator<CheckFinding> {
  for (const [index, entry] of graph.nodes.entries()) {
    const parent = graph.nodes[graph.parents[index] ?? -1];
    if (parent === undefined || graph.linkOf(index) !== "written" || graph.superseded(entry)) continue;
    const [before, after] = [Date.parse(parent.timestamp ?? ""), Date.parse(entry.timestamp ?? "")];
    if (!(before - after > usualSpreadMs)) continue;
    const message = `line ${entry.line} is ${before - after} ms older than its parent`;
    yield findingAt(entry, "time-before-parent", "warning", message);
  }
}

const reasons = {
  "not-json": "is not JSON",
  "not-object": "is JSON, but not an object",
  "too-long": "is longer than any line we hold in memory",
  "nul-run": "is filled with NUL bytes",
  splice: "is what is left of a record that another one was written into",
  "cut-archive": "and what came after it are missing: the archive is cut off",
} as const;

/** Bytes that do not form a record, and an unfinished last line. */
export const checkLines: SessionCheck = function* ({ model, threads, tails, live }) {
  for (const item of model.unreadable) {
    yield findingAt(item, "bad-line", "error", `line ${item.line} ${reasons[item.why]}`);
  }
  for (const entry of joined(threads)) {
    const message = `line ${entry.line} holds more than one record, or a record among other bytes`;
    yield findingAt(entry, "bad-line", "error", message);
  }
  for (const { file, line, offset, length } of live ? [] : tails) {
    const message = `the last ${length} bytes have no newline: a writer was stopped`;
    yield { code: "torn-tail", severity: "error", file, line, offset, message };
  }
  for (const entry of threads.flatMap(({ entries }) => entries)) {
    if (!entry.lossy) continue;
    const message = `line ${entry.line} holds bytes that are not UTF-8, or values nested too deep`;
    yield findingAt(entry, "lossy-text", "note", message);
  }
};

/** The first entry of each line that could be read only by taking it apart. */
function* joined(threads: readonly Conversation[]): Generator<Entry> {
  const seen = new Set<string>();
  for (const { items } of threads) {
    for (const item of items) {
      const key = `${item.line} ${item.file}`;
      if (item.kind !== "unreadable" && item.recovered && !seen.has(key)) yield item;
      // Unreadable bytes on the same line are reported above.
      seen.add(key);
    }
  }
}

/** Every tool call has one result, and every result a call. */
export const checkTools: SessionCheck = function* ({ model, threads }) {
  for (const thread of threads) {
    for (const tool of unansweredToolUses(thread)) {
      yield findingAt(tool.use, "tool-use-without-result", "error", `${tool.name} (${tool.id}) was never answered`);
    }
    for (const { entry, toolUseId, code } of unmatchedResults(thread, (id) => model.toolCall(id) !== undefined)) {
      const what = code === "duplicate-tool-result" ? "was answered before" : "was never called";
      yield findingAt(entry, code, "error", `line ${entry.line} answers ${toolUseId}, which ${what}`);
    }
  }
};

/** Calls without a result though the conversation went on. At its end a call may still be running, or be deferred. */
export function unansweredToolUses(thread: Conversation): SessionToolCall[] {
  const spoken = thread.entries.filter(isReplyOrPrompt);
  return thread.toolCalls.filter(({ result, status, use, call }) => {
    if (result !== undefined || status === "deferred") return false;
    const next = spoken.findLast(
      (entry) => entry.offset <= use.offset || entry.kind === "user" || callKey(entry) !== call.key,
    );
    return next !== undefined && next.offset > use.offset;
  });
}

function isReplyOrPrompt(entry: Entry): entry is AssistantEntry | UserEntry {
  if (entry.kind === "assistant") return true;
  return entry.kind === "user" && ["prompt", "interrupt", "notification", "teammate"].includes(entry.role);
}

/** A result block that should not be there. */
interface UnmatchedResult {
  readonly entry: UserEntry;
  readonly toolUseId: string;
  /** Its place in the entry's content. */
  readonly block: number;
  readonly code: "tool-result-without-use" | "duplicate-tool-result";
}

export function unmatchedResults(thread: Conversation, isCalled: (id: string) => boolean): UnmatchedResult[] {
  const seen = new Set<string>();
  const stray: UnmatchedResult[] = [];
  for (const entry of countedEntries(thread)) {
    if (entry.kind !== "user") continue;
    for (const [index, block] of entry.content.entries()) {
      if (block.type !== "tool_result") continue;
      const { toolUseId } = block;
      if (!isCalled(toolUseId)) stray.push({ entry, toolUseId, block: index, code: "tool-result-without-use" });
      else if (seen.has(toolUseId)) stray.push({ entry, toolUseId, block: index, code: "duplicate-tool-result" });
      seen.add(toolUseId);
    }
  }
  return stray;
}
