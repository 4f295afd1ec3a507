import { hasSummary, isBoundary } from "../model/compactions.ts";
import type { Entry, Item, SystemEntry } from "../model/entry.ts";
import { isLinked, type Linked } from "../model/entry-graph.ts";
import { lastBoundaryLine } from "../read/last-line-with.ts";
import { readBackwards } from "../read/read-reverse.ts";

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
  for await (const item of readBackwards(file)) {
    if (!isMainEntry(item)) continue;
    if (missing === undefined) {
      since.push(item);
      if (item.offset > from) continue;
      since.reverse();
      missing = tellsAll(since) ? preservedBefore(since) : undefined;
      if (missing === undefined) return undefined;
    } else if (missing.delete(item.uuid ?? "")) preserved.unshift(item);
    if (missing.size === 0) return [...preserved, ...since];
    if (item.offset < from - preservedWithinBytes) return undefined;
  }
  return undefined;
}

/** Lines of subagents stand in the main file of older versions. */
function isMainEntry(item: Item): item is Entry {
  return item.kind !== "unreadable" && !(item.isSidechain === true && isLinked(item));
}

/** True when all lines hang on the boundary, which is the first one, and nothing in them names a line before it. */
function tellsAll(since: readonly Entry[]): boolean {
  const [boundary, ...after] = since;
  if (boundary === undefined || !beginsAnew(boundary) || !hasSummary(after.filter(isLinked))) return false;
  const lines = new Set([boundary.uuid]);
  const calls = new Set<string>();
  for (const entry of after) {
    if (!isLinked(entry)) continue;
    if (entry.parentUuid === null || !lines.has(entry.parentUuid)) return false;
    lines.add(entry.uuid);
    if (!answersOnly(entry, calls)) return false;
  }
  const named = after.findLast((entry) => entry.kind === "last-prompt");
  return named?.kind !== "last-prompt" || named.leafUuid === undefined || lines.has(named.leafUuid);
}

function beginsAnew(entry: Entry): entry is SystemEntry {
  return isLinked(entry) && isBoundary(entry) && entry.parentUuid === null && entry.recovered !== true;
}

/** Every result in it answers a call that was seen before. */
function answersOnly(entry: Linked, calls: Set<string>): boolean {
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
