import { defined, Problem, plainLine } from "../../protocol/internal.ts";
import type { Entry, StandaloneEntry } from "./entry.ts";
import type { Graph, GraphEntry } from "./entry-graph.ts";
import { type CallGroups, type GroupFork, groupParallelCalls } from "./parallel-calls.ts";

/** A point from which a conversation was continued more than once. */
export interface BranchPoint {
  /** The common parent of the alternatives; null when they have none. */
  readonly at: GraphEntry | null;
  /** `rewind`: different prompts. `retry`: different answers to the same prompt. */
  readonly kind: "rewind" | "retry";
  readonly alternatives: number;
}

/** One branch of a conversation, identified by its last entry. */
export interface Branch {
  readonly leaf: string;
  readonly active: boolean;
  /** The entry where it leaves its parent branch. Absent for the active branch, null when the branch has its own first line. */
  readonly forkPoint?: string | null;
  readonly kind?: "rewind" | "retry";
  /** The number of entries below its fork point. */
  readonly size: number;
  /** The text of the `summary` line for this leaf. */
  readonly summary?: string;
}

/** All branches of a conversation, with the points where they separate. */
export interface Branches {
  readonly points: readonly BranchPoint[];
  readonly leaf: string | undefined;
  list(): Branch[];
  /** The entries of one branch in file order, without entries outside the graph. Undefined for an unknown leaf. */
  entriesOf(leaf: string): readonly GraphEntry[] | undefined;
}

/** A branch point is a group of parallel calls that two groups with a prompt or a call continue. */
export function branchesOf(graph: Graph, entries: readonly Entry[]): Branches {
  const groups = groupParallelCalls(graph);
  const leaf = activeLeaf(graph, groups, entries);
  const summaries = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === "summary" && entry.leafUuid) summaries.set(entry.leafUuid, entry.summary ?? "");
  }
  return {
    points: [...groups.forks.values()].map((point) => ({
      at: forkEntry(graph, point),
      kind: point.kind,
      alternatives: point.alternatives.length,
    })),
    leaf: leaf < 0 ? undefined : graph.nodes[leaf]?.uuid,
    list: () => (leaf < 0 ? [] : listBranches()),
    entriesOf(uuid) {
      const at = graph.indexOf(uuid);
      return at === undefined ? undefined : entriesUpTo(graph, groups, at);
    },
  };

  function listBranches(): Branch[] {
    const branches: Branch[] = [];
    const pending: PendingBranch[] = [{ leaf }];
    for (const { leaf: end, fork } of pending) {
      const uuid = graph.nodes[end]?.uuid ?? "";
      const own = entriesUpTo(graph, groups, end);
      branches.push({
        leaf: uuid,
        active: fork === undefined,
        ...(fork && { forkPoint: forkEntry(graph, fork.point)?.uuid ?? null, kind: fork.point.kind }),
        size: fork === undefined ? own.length : countBelow(graph, groups, fork.top, own),
        ...defined({ summary: summaries.get(uuid) }),
      });
      const path = pathToRoot(groups, end);
      const ownPath = fork === undefined ? [...path, -1] : path.slice(0, path.indexOf(fork.top) + 1);
      for (const group of ownPath) {
        const point = groups.forks.get(group);
        for (const top of point?.alternatives ?? []) {
          if (point !== undefined && !ownPath.includes(top))
            pending.push({ leaf: groups.newest[top] ?? top, fork: { top, point } });
        }
      }
    }
    return branches;
  }
}

function forkEntry(graph: Graph, { group, alternatives }: GroupFork): GraphEntry | null {
  if (group < 0) return null;
  const parent = graph.parents[alternatives[0] ?? -1] ?? -1;
  return graph.nodes[parent >= 0 ? parent : group] ?? null;
}

/**
 * The newest node, or the leaf that a later `last-prompt` line names. That leaf does not count when the newest node is below it and only
 * attachments and system lines follow it.
 */
function activeLeaf(graph: Graph, groups: CallGroups, entries: readonly Entry[]): number {
  const newest = graph.nodes.length - 1;
  if (newest < 0) return -1;
  const last = graph.nodes[newest] as GraphEntry;
  const prompt = entries.findLast((entry): entry is StandaloneEntry => entry.kind === "last-prompt");
  if (prompt?.leafUuid === undefined || prompt.offset < last.offset || prompt.file !== last.file) return newest;
  const leaf = graph.indexOf(prompt.leafUuid);
  if (leaf === undefined) return newest;
  const isAbove = pathToRoot(groups, newest).includes(groups.of[leaf] ?? -1);
  return isAbove && hasOnlyNotesBelow(graph, leaf) ? newest : leaf;
}

function hasOnlyNotesBelow(graph: Graph, leaf: number): boolean {
  const queue = [...graph.childrenOf(leaf)];
  for (const index of queue) {
    const kind = graph.nodes[index]?.kind;
    if (kind !== "attachment" && kind !== "system") return false;
    queue.push(...graph.childrenOf(index));
  }
  return true;
}

function entriesUpTo(graph: Graph, groups: CallGroups, leaf: number): readonly GraphEntry[] {
  const excluded = excludedGroups(groups, leaf);
  if (excluded.size === 0) return graph.nodes.filter((entry) => !graph.superseded(entry));
  const isExcluded = markBelow(groups, excluded);
  return graph.nodes.filter((entry, index) => isExcluded[groups.of[index] ?? -1] !== 1 && !graph.superseded(entry));
}

/** Has a 1 for each of these groups and for every group below them. */
function markBelow(groups: CallGroups, tops: ReadonlySet<number>): Uint8Array {
  const marks = new Uint8Array(groups.of.length);
  for (const group of groups.order) {
    if (tops.has(group) || marks[groups.parents[group] ?? -1] === 1) marks[group] = 1;
  }
  return marks;
}

/** The groups at which other branches leave the path to a leaf. */
function excludedGroups(groups: CallGroups, leaf: number): Set<number> {
  const excluded = new Set<number>();
  // Most sessions have one branch.
  if (groups.forks.size === 0 && leaf === groups.newest[groups.of[leaf] ?? -1]) return excluded;
  const path = pathToRoot(groups, leaf);
  const onPath = new Set(path);
  for (const group of [...path, -1]) {
    for (const way of groups.forks.get(group)?.alternatives ?? []) if (!onPath.has(way)) excluded.add(way);
  }
  // The user went back to this leaf: what followed it before is not part of the branch.
  const last = path[0] ?? -1;
  if (leaf !== groups.newest[last]) {
    for (const group of groups.order) {
      if (groups.parents[group] === last && groups.hasContent[group] === 1 && !onPath.has(group)) excluded.add(group);
    }
  }
  return excluded;
}

function pathToRoot(groups: CallGroups, leaf: number): number[] {
  const path: number[] = [];
  for (let at = groups.of[leaf] ?? -1; at >= 0; at = groups.parents[at] ?? -1) path.push(at);
  return path;
}

/** A branch to list: its leaf, and for all but the active one the fork and the alternative that leads to the leaf. */
interface PendingBranch {
  readonly leaf: number;
  readonly fork?: { readonly top: number; readonly point: GroupFork };
}

function countBelow(graph: Graph, groups: CallGroups, top: number, entries: readonly GraphEntry[]): number {
  const isBelow = markBelow(groups, new Set([top]));
  return entries.filter(({ uuid }) => isBelow[groups.of[graph.indexOf(uuid) ?? -1] ?? -1] === 1).length;
}

export function noBranch(leaf: string): Problem {
  const message = plainLine(
    `This session has no entry "${leaf}", so no branch ends there. hookline sessions show --raw prints the entries.`,
  );
  return new Problem("sessions/no-branch", message, { about: { leaf } });
}
