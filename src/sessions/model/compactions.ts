import { defined } from "../../protocol/internal.ts";
import type { SystemEntry, UserEntry } from "./entry.ts";
import { type Graph, type GraphEntry, isBoundary, type ParentLink } from "./entry-graph.ts";

/** One time the context was replaced by a summary. */
export interface Compaction {
  readonly boundary: SystemEntry;
  readonly summary?: UserEntry;
  readonly trigger?: string;
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly droppedTokens?: number;
  readonly durationMs?: number;
  /** How the boundary was joined to what came before it. */
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
    const dropped =
      preTokens === undefined || postTokens === undefined
        ? cumulativeDroppedTokens
        : Math.max(0, preTokens - postTokens);
    return [
      {
        boundary: entry,
        ...defined({ summary, trigger, preTokens, postTokens, droppedTokens: dropped, durationMs }),
        joinedBy: graph.linkOf(index),
      },
    ];
  });
}

/**
 * What a model would be given now: the last summary, the lines that were preserved, and all that came after. A boundary without a summary
 * is a compaction that was cut off, by a kill for instance: what came before it still counts.
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

/** Where the last boundary stands that a summary follows before the next one; -1 when there is none. */
export function lastCompaction(branch: readonly GraphEntry[]): number {
  let isSummarized = false;
  return branch.findLastIndex((entry) => {
    if (isBoundary(entry)) return isSummarized;
    isSummarized ||= isSummary(entry);
    return false;
  });
}

/** Whether a summary follows before the next boundary. */
export function hasSummary(after: readonly GraphEntry[]): boolean {
  return isSummary(after.find((entry) => isBoundary(entry) || isSummary(entry)));
}

function preservedBy(graph: Graph, { compactMetadata }: SystemEntry): GraphEntry[] {
  const find = (uuid: string | undefined) => (uuid === undefined ? undefined : graph.indexOf(uuid));
  const listed = compactMetadata?.preservedMessages?.uuids;
  if (listed !== undefined) return listed.flatMap((uuid) => graph.nodes[find(uuid) ?? -1] ?? []);
  const head = find(compactMetadata?.preservedSegment?.headUuid);
  const kept: GraphEntry[] = [];
  for (
    let at = find(compactMetadata?.preservedSegment?.tailUuid) ?? -1;
    head !== undefined && at >= head;
    at = graph.parents[at] ?? -1
  ) {
    kept.unshift(graph.nodes[at] as GraphEntry);
    if (at === head) return kept;
  }
  return [];
}

function isSummary(entry: GraphEntry | undefined): entry is UserEntry {
  return entry?.kind === "user" && entry.role === "summary";
}
