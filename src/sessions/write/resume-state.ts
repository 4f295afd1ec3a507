import { branchesOf } from "../model/branches.ts";
import { contextOf, hasSummary, lastCompaction } from "../model/compactions.ts";
import type { Entry, SystemEntry, TranscriptItem } from "../model/entry.ts";
import { type GraphEntry, graphOf, isBoundary, isGraphEntry } from "../model/entry-graph.ts";
import { pairTools } from "../model/pair-tool-calls.ts";
import {
  buildConversation,
  type Conversation,
  draftConversation,
  isSidechainItem,
  takeSidechains,
} from "../model/transcript-conversation.ts";
import { lastBoundaryLine, readAllEntries, readEntries, readEntriesReverse } from "../read/read-entries.ts";

/** What resuming a conversation needs from its file. */
export interface ResumeState {
  /** The parent of the next line. */
  readonly leaf: string | undefined;
  /** What a model would be given now. */
  readonly context: readonly GraphEntry[];
  /** The last prompt or result has no answer. */
  readonly unanswered: boolean;
}

/**
 * Reads a main transcript to resume it. Of a compacted one only what came since the last compaction is read, where that is all
 * there is to know; those lines are not counted, so their `line` is 0.
 */
export async function readResumeState(file: string): Promise<ResumeState> {
  const recent = await readSinceCompaction(file);
  const near = recent === undefined ? undefined : resumeStateOf(recent);
  // Only lines before the compaction may show whether the end was answered.
  return near?.spokenSince === true ? near : resumeStateOf(await readAll(file));
}

async function readAll(file: string): Promise<readonly Entry[]> {
  const items = await readAllEntries(readEntries(file));
  return takeSidechains(items).main.filter((item) => item.kind !== "unreadable");
}

function resumeStateOf(entries: readonly Entry[]): ResumeState & { readonly spokenSince: boolean } {
  const graph = graphOf(entries);
  const { leaf, entriesOf } = branchesOf(graph, entries);
  const history = leaf === undefined ? [] : (entriesOf(leaf) ?? []);
  const context = contextOf(graph, history);
  const compactedAt = lastCompaction(history);
  const spokenSince = compactedAt >= 0 && history.slice(compactedAt + 1).some(isConversational);
  return { leaf, context, unanswered: isUnanswered(history, context), spokenSince };
}

/**
 * True when a conversation stopped before its last prompt or result was answered, so that a model would find two things
 * said to it at once. A call that a hook deferred is not: its answer is still to come, if the model still knows of the call.
 */
export function isUnanswered(history: readonly GraphEntry[], context: readonly GraphEntry[]): boolean {
  if (holdsDeferred(context)) return false;
  const last = history.findLast(isConversational);
  if (last?.kind === "assistant") return last.stopReason === null || last.stopReason === "tool_use";
  return last !== undefined;
}

/** True for lines of the user, a tool or a model; false for hook records, notes and commands of Claude Code. */
function isConversational(entry: GraphEntry): boolean {
  if (entry.kind === "assistant") return true;
  return entry.kind === "user" && !["meta", "command", "command-output", "summary"].includes(entry.role);
}

function holdsDeferred(context: readonly GraphEntry[]): boolean {
  const waiting = new Set<string>();
  for (const entry of context) {
    if (entry.kind === "attachment" && entry.type === "hook_deferred_tool") waiting.add(entry.toolUseId ?? "");
  }
  if (waiting.size === 0) return false;
  const blocks = context.flatMap((entry) => (entry.kind === "user" || entry.kind === "assistant" ? entry.content : []));
  for (const block of blocks) if (block.type === "tool_result") waiting.delete(block.toolUseId);
  return blocks.some((block) => block.type === "tool_use" && waiting.has(block.id));
}

/** How far before a compaction the lines it preserved are looked for. */
const preservedWithinBytes = 8 * 1024 * 1024;

/**
 * The entries since the last compaction, behind those it preserved. Undefined where they do not tell the whole story: there was none,
 * or something in them leads back behind it, as when a person went back to an earlier prompt. Then the whole file is to be read.
 */
export async function readSinceCompaction(file: string): Promise<readonly Entry[] | undefined> {
  const from = file.endsWith(".gz") ? undefined : await lastBoundaryLine(file);
  if (from === undefined) return undefined;
  const since: Entry[] = [];
  const preserved: Entry[] = [];
  let missing: Set<string> | undefined;
  for await (const item of readEntriesReverse(file)) {
    // In older versions lines of subagents are in the main file.
    if (item.kind === "unreadable" || isSidechainItem(item)) continue;
    if (missing === undefined) {
      since.push(item);
      if (item.offset > from) continue;
      since.reverse();
      missing = isSelfContained(since) ? preservedBefore(since) : undefined;
      if (missing === undefined) return undefined;
    } else if (missing.delete(item.uuid ?? "")) preserved.unshift(item);
    if (missing.size === 0) return [...preserved, ...since];
    if (item.offset < from - preservedWithinBytes) return undefined;
  }
  return undefined;
}

/** True when all lines are below the boundary, which is the first one, and none names a line before it. */
function isSelfContained(since: readonly Entry[]): boolean {
  const [boundary, ...after] = since;
  if (boundary === undefined || !isCleanBoundary(boundary) || !hasSummary(after.filter(isGraphEntry))) return false;
  const lines = new Set([boundary.uuid]);
  const calls = new Set<string>();
  for (const entry of after) {
    if (!isGraphEntry(entry)) continue;
    if (entry.parentUuid === null || !lines.has(entry.parentUuid)) return false;
    lines.add(entry.uuid);
    if (!answersOnly(entry, calls)) return false;
  }
  const named = after.findLast((entry) => entry.kind === "last-prompt");
  return named?.kind !== "last-prompt" || named.leafUuid === undefined || lines.has(named.leafUuid);
}

function isCleanBoundary(entry: Entry): entry is SystemEntry {
  return isGraphEntry(entry) && isBoundary(entry) && entry.parentUuid === null && entry.recovered !== true;
}

/** Every result in it answers a call that was seen before. */
function answersOnly(entry: GraphEntry, calls: Set<string>): boolean {
  if (entry.kind !== "user" && entry.kind !== "assistant") return true;
  for (const block of entry.content) {
    if (block.type === "tool_use") calls.add(block.id);
    if (block.type === "tool_result" && !calls.has(block.toolUseId)) return false;
  }
  return true;
}

/** The lines that a compaction kept and that are to be found before it; undefined when it named none of them, only their ends. */
function preservedBefore(since: readonly Entry[]): Set<string> | undefined {
  const { preservedMessages, preservedSegment } = (since[0] as SystemEntry).compactMetadata ?? {};
  if (preservedMessages?.uuids === undefined) return preservedSegment === undefined ? new Set() : undefined;
  const missing = new Set(preservedMessages.uuids);
  for (const entry of since) missing.delete(entry.uuid ?? "");
  return missing;
}

/** The conversation in one transcript, read whole; its agents, and everything else of the session, are left alone. */
export async function readTranscriptConversation(file: string): Promise<Conversation> {
  return conversationOf(takeSidechains(await readAllEntries(readEntries(file))).main);
}

/** The same for the transcript of an agent. */
export async function readAgentConversation(file: string): Promise<Conversation> {
  return conversationOf(await readAllEntries(readEntries(file)));
}

function conversationOf(items: readonly TranscriptItem[]): Conversation {
  const draft = draftConversation(items);
  return buildConversation(draft, pairTools([draft]).of(draft));
}
