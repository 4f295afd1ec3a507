import { Problem, plainLine } from "../../protocol/internal.ts";
import type { Entry } from "./entry.ts";
import type { Graph, GraphEntry } from "./entry-graph.ts";
import { type CallGroups, type GroupFork, groupParallelCalls } from "./parallel-calls.ts";
import type { StandaloneEntry } from "./standalone-entry.ts";

/** Where a conversation was taken up again from an earlier point. */
export interface BranchPoint {
  /** The entry the alternatives hang on; null when they are first lines. */
  readonly at: GraphEntry | null;
  /** Prompts differ, or answers to one prompt differ. */
  readonly kind: "rewind" | "retry";
  readonly alternatives: number;
}

export interface Branch {
  readonly leaf: string;
  readonly active: boolean;
  /** Where it left the branch it came from; absent for the active one, null when it has a first line of its own. */
  readonly forkPoint?: string | null;
  readonly kind?: "rewind" | "retry";
  /** Entries that are in this branch and not above its fork point. */
  readonly size: number;
  /** The text of a `summary` line that names this leaf. */
  readonly summary?: string;
}

export interface Branches {
  readonly points: readonly BranchPoint[];
  readonly leaf: string | undefined;
  list(): Branch[];
  /** Every entry of one branch, in file order; entries outside the graph are not in it. Undefined for a leaf we do not know. */
  entriesOf(leaf: string): readonly GraphEntry[] | undefined;
}

/**
 * Parallel tool calls make a plain parent walk fork at every batch. So lines of one call, and the results of its tools, are
 * one knot first; what then still leads two ways, each with a prompt or another call, is a branch point.
 */
export function branchesOf(graph: Graph, entries: readonly Entry[]): Branches {
  const knots = groupParallelCalls(graph);
  const leaf = activeLeaf(graph, knots, entries);
  const summaries = new Map(
    entries.flatMap((entry) =>
      entry.kind === "summary" && entry.leafUuid ? [[entry.leafUuid, entry.summary ?? ""]] : [],
    ),
  );
  const keep = (at: number) => entriesUpTo(graph, knots, at);
  return {
    points: knots.points.map(({ group: knot, kind, alternatives: ways }) => ({
      at: forkEntry(graph, ways, knot),
      kind,
      alternatives: ways.length,
    })),
    leaf: leaf < 0 ? undefined : graph.nodes[leaf]?.uuid,
    list: () => (leaf < 0 ? [] : listBranches(graph, knots, leaf, summaries)),
    entriesOf(uuid) {
      const at = graph.indexOf(uuid);
      return at === undefined ? undefined : keep(at);
    },
  };
}

function forkEntry(graph: Graph, ways: readonly number[], knot: number): GraphEntry | null {
  if (knot < 0) return null;
  const parent = graph.parents[ways[0] ?? -1] ?? -1;
  return graph.nodes[parent >= 0 ? parent : knot] ?? null;
}

/** The newest line, unless a later `last-prompt` names one that more than attachments and system lines hang on. */
function activeLeaf(graph: Graph, knots: CallGroups, entries: readonly Entry[]): number {
  const newest = graph.nodes.length - 1;
  if (newest < 0) return -1;
  const last = graph.nodes[newest] as GraphEntry;
  const named = entries.findLast((entry): entry is StandaloneEntry => entry.kind === "last-prompt");
  if (named?.leafUuid === undefined || named.offset < last.offset || named.file !== last.file) return newest;
  const leaf = graph.indexOf(named.leafUuid);
  if (leaf === undefined) return newest;
  return isAbove(knots, leaf, newest) && onlyTrimmings(graph, leaf) ? newest : leaf;
}

function isAbove(knots: CallGroups, above: number, below: number): boolean {
  const target = knots.of[above] ?? -1;
  for (let at = knots.of[below] ?? -1; at >= 0; at = knots.parents[at] ?? -1) if (at === target) return true;
  return false;
}

function onlyTrimmings(graph: Graph, leaf: number): boolean {
  const queue = [...graph.childrenOf(leaf)];
  for (let at = 0; at < queue.length; at++) {
    const index = queue[at] ?? 0;
    const kind = graph.nodes[index]?.kind;
    if (kind !== "attachment" && kind !== "system") return false;
    queue.push(...graph.childrenOf(index));
  }
  return true;
}

function entriesUpTo(graph: Graph, knots: CallGroups, leaf: number): readonly GraphEntry[] {
  const left = leftOut(knots, leaf);
  if (left.size === 0) return graph.nodes.filter((entry) => !graph.superseded(entry));
  const out = new Uint8Array(knots.of.length);
  for (const knot of knots.order) {
    if (left.has(knot) || out[knots.parents[knot] ?? -1] === 1) out[knot] = 1;
  }
  return graph.nodes.filter((entry, index) => out[knots.of[index] ?? -1] !== 1 && !graph.superseded(entry));
}

/** The alternatives that the way up from a leaf did not take. */
function leftOut(knots: CallGroups, leaf: number): Set<number> {
  const left = new Set<number>();
  // Most sessions never went two ways.
  if (knots.points.length === 0 && leaf === knots.newest[knots.of[leaf] ?? -1]) return left;
  const path = pathOf(knots, leaf);
  const onPath = new Set(path);
  for (const knot of [...path, -1]) {
    for (const way of knots.pointAt.get(knot)?.alternatives ?? []) if (!onPath.has(way)) left.add(way);
  }
  // A leaf that was gone back to: what once followed it is not part of the branch.
  const last = path[0] ?? -1;
  if (leaf !== knots.newest[last]) {
    for (const knot of knots.order) {
      if (knots.parents[knot] === last && knots.hasContent[knot] === 1 && !onPath.has(knot)) left.add(knot);
    }
  }
  return left;
}

function pathOf(knots: CallGroups, leaf: number): number[] {
  const path: number[] = [];
  for (let at = knots.of[leaf] ?? -1; at >= 0; at = knots.parents[at] ?? -1) path.push(at);
  return path;
}

function listBranches(graph: Graph, knots: CallGroups, leaf: number, summaries: ReadonlyMap<string, string>): Branch[] {
  const branches: Branch[] = [];
  const waiting: { leaf: number; from?: number; point?: GroupFork }[] = [{ leaf }];
  for (let at = 0; at < waiting.length; at++) {
    const { leaf: end, from, point } = waiting[at] as { leaf: number; from?: number; point?: GroupFork };
    const uuid = graph.nodes[end]?.uuid ?? "";
    const whole = entriesUpTo(graph, knots, end);
    const size = from === undefined ? whole.length : countBelow(graph, knots, from, whole);
    const summary = summaries.get(uuid);
    branches.push({
      leaf: uuid,
      active: at === 0,
      ...(point === undefined
        ? {}
        : { forkPoint: forkEntry(graph, point.alternatives, point.group)?.uuid ?? null, kind: point.kind }),
      size,
      ...(summary === undefined ? {} : { summary }),
    });
    const path = pathOf(knots, end);
    const stop = from === undefined ? path.length : path.indexOf(from) + 1;
    const own = path.slice(0, stop);
    for (const knot of from === undefined ? [...own, -1] : own) {
      const here = knots.pointAt.get(knot);
      for (const way of here?.alternatives ?? []) {
        if (here !== undefined && !own.includes(way))
          waiting.push({ leaf: knots.newest[way] ?? way, from: way, point: here });
      }
    }
  }
  return branches;
}

function countBelow(graph: Graph, knots: CallGroups, top: number, entries: readonly GraphEntry[]): number {
  const below = new Uint8Array(knots.of.length);
  for (const knot of knots.order) if (knot === top || below[knots.parents[knot] ?? -1] === 1) below[knot] = 1;
  return entries.filter((entry) => below[knots.of[graph.indexOf(entry.uuid) ?? -1] ?? -1] === 1).length;
}

export function noBranch(leaf: string): Problem {
  return new Problem(
    "sessions/no-branch",
    plainLine(`"${leaf}" is not an entry of this session, so no branch ends there.`),
    { about: { leaf } },
  );
}
