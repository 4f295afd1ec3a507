import { defined } from "../../protocol/internal.ts";
import type { CompactMetadata, SystemEntry, UserEntry } from "./entry.ts";
import { type Graph, type GraphEntry, isBoundary, type ParentLink } from "./entry-graph.ts";

/** A point where a summary replaced the context. */
export interface Compaction extends Pick<CompactMetadata, "trigger" | "preTokens" | "postTokens" | "durationMs"> {
  readonly boundary: SystemEntry;
  readonly summary?: UserEntry;
  readonly droppedTokens?: number;
  /** How the boundary is linked to the entry before it. */
  readonly joinedBy: ParentLink;
}

export function compactionsOf(graph: Graph): Compaction[] {
  return graph.nodes.flatMap((entry, index) => {
    if (!isBoundary(entry) || graph.superseded(entry)) return [];
    const { trigger, preTokens, postTokens, cumulativeDroppedTokens, durationMs } = entry.compactMetadata ?? {};
    const summary = graph
      .childrenOf(index)
      .map((child) => graph.nodes[child])
      .find(isSummary);
    const isCounted = preTokens !== undefined && postTokens !== undefined;
    const droppedTokens = isCounted ? Math.max(0, preTokens - postTokens) : cumulativeDroppedTokens;
    const facts = defined({ summary, trigger, preTokens, postTokens, droppedTokens, durationMs });
    return [{ boundary: entry, ...facts, joinedBy: graph.linkOf(index) }];
  });
}

/**
 * The entries that a model would receive now: the last summary, the preserved lines, and everything after them. A boundary without a
 * summary is a compaction that did not finish, so the entries before it still count.
 */
export function contextOf(graph: Graph, branch: readonly GraphEntry[]): readonly GraphEntry[] {
  const at = lastCompaction(branch);
  const boundary = branch[at];
  if (boundary?.kind !== "system") return branch;
  const after = branch.slice(at + 1);
  const written = new Set(after.map(({ uuid }) => uuid));
  const preserved = preservedBy(graph, boundary).filter(({ uuid }) => !written.has(uuid));
  const summary = after.findIndex(isSummary);
  return [...after.slice(0, summary + 1), ...preserved, ...after.slice(summary + 1)];
}

/** The index of the last boundary that has a summary; -1 when there is none. */
export function lastCompaction(branch: readonly GraphEntry[]): number {
  let isSummarized = false;
  return branch.findLastIndex((entry) => {
    if (isBoundary(entry)) return isSummarized;
    isSummarized ||= isSummary(entry);
    return false;
  });
}

/** True when a summary comes before the next boundary. */
export function hasSummary(after: readonly GraphEntry[]): boolean {
  return isSummary(after.find((entry) => isBoundary(entry) || isSummary(entry)));
}

function preservedBy(graph: Graph, { compactMetadata }: SystemEntry): GraphEntry[] {
  const find = (uuid: string | undefined) => (uuid === undefined ? undefined : graph.indexOf(uuid));
  const listed = compactMetadata?.preservedMessages?.uuids;
  if (listed !== undefined) return listed.flatMap((uuid) => graph.nodes[find(uuid) ?? -1] ?? []);
  const head = find(compactMetadata?.preservedSegment?.headUuid);
  const tail = find(compactMetadata?.preservedSegment?.tailUuid);
  if (head === undefined || tail === undefined) return [];
  const segment: GraphEntry[] = [];
  for (let at = tail; at >= head; at = graph.parents[at] ?? -1) {
    segment.unshift(graph.nodes[at] as GraphEntry);
    if (at === head) return segment;
  }
  return [];
}

function isSummary(entry: GraphEntry | undefined): entry is UserEntry {
  return entry?.kind === "user" && entry.role === "summary";
}
