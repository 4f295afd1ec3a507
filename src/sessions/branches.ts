import { isCall, keyOf } from "./call.ts";
import type { BareEntry, Entry } from "./entry.ts";
import type { Graph, Linked } from "./graph.ts";

/** Where a conversation was taken up again from an earlier point. */
export interface BranchPoint {
  /** The entry the alternatives hang on; null when they are first lines. */
  readonly at: Linked | null;
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
  entriesOf(leaf: string): readonly Linked[] | undefined;
}

/**
 * Parallel tool calls make a plain parent walk fork at every batch. So lines of one call, and the results of its tools, are
 * one knot first; what then still leads two ways, each with a prompt or another call, is a branch point.
 */
export function branchesOf(graph: Graph, entries: readonly Entry[]): Branches {
  const knots = knotsOf(graph);
  const leaf = activeLeaf(graph, knots, entries);
  const summaries = new Map(
    entries.flatMap((entry) =>
      entry.kind === "summary" && entry.leafUuid ? [[entry.leafUuid, entry.summary ?? ""]] : [],
    ),
  );
  const keep = (at: number) => entriesUpTo(graph, knots, at);
  return {
    points: knots.points.map(({ knot, kind, ways }) => ({
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

/** Knots of the graph: each is named by the index of its first line. */
interface Knots {
  /** For every node the knot it belongs to. */
  readonly of: Int32Array;
  readonly parents: Int32Array;
  /** All knots, every parent before its children. */
  readonly order: readonly number[];
  /** True when a prompt or a call is in the knot or below it. */
  readonly weighty: Uint8Array;
  /** The newest node below each knot. */
  readonly newest: Int32Array;
  readonly points: readonly Point[];
  readonly pointAt: ReadonlyMap<number, Point>;
}

/** `knot` is -1 for alternatives that have no parent. */
interface Point {
  readonly knot: number;
  readonly kind: "rewind" | "retry";
  readonly ways: readonly number[];
}

function knotsOf(graph: Graph): Knots {
  const of = tie(graph);
  const parents = knotParents(graph, of);
  const { order, children } = fromTheTop(of, parents);
  const weighty = new Uint8Array(of.length);
  const newest = new Int32Array(of.length);
  graph.nodes.forEach((entry, index) => {
    const knot = of[index] ?? index;
    if (isWeighty(entry) && !graph.superseded(entry)) weighty[knot] = 1;
    newest[knot] = index;
  });
  for (const knot of order.toReversed()) {
    const parent = parents[knot] ?? -1;
    if (parent < 0) continue;
    if (weighty[knot] === 1) weighty[parent] = 1;
    newest[parent] = Math.max(newest[parent] ?? 0, newest[knot] ?? 0);
  }
  const points = [-1, ...order].flatMap((knot): Point[] => {
    const ways = (children.get(knot) ?? []).filter((child) => weighty[child] === 1);
    return ways.length < 2 ? [] : [{ knot, ways, kind: kindOf(graph, ways) }];
  });
  return { of, parents, order, weighty, newest, points, pointAt: new Map(points.map((point) => [point.knot, point])) };
}

/** Lines of one answer, and the results of the tools it called, are tied together. */
function tie(graph: Graph): Int32Array {
  const of = new Int32Array(graph.nodes.length);
  const calls = new Map<string, number>();
  const tools = new Map<string, number>();
  graph.nodes.forEach((entry, index) => {
    of[index] = index;
    if (entry.kind === "assistant" && isCall(entry)) {
      const knot = calls.get(keyOf(entry)) ?? index;
      calls.set(keyOf(entry), knot);
      of[index] = knot;
      for (const block of entry.content)
        if (block.type === "tool_use" && !tools.has(block.id)) tools.set(block.id, knot);
    }
  });
  graph.nodes.forEach((entry, index) => {
    if (entry.kind !== "user" || entry.role !== "result") return;
    const block = entry.content.find((one) => one.type === "tool_result");
    const knot = block?.type === "tool_result" ? tools.get(block.toolUseId) : undefined;
    if (knot !== undefined) of[index] = knot;
  });
  return of;
}

/** A knot hangs where the first of its lines that leaves it hangs. */
function knotParents(graph: Graph, of: Int32Array): Int32Array {
  const parents = new Int32Array(of.length).fill(-2);
  of.forEach((knot, index) => {
    if ((parents[knot] ?? -2) >= -1 || graph.superseded(graph.nodes[index] as Linked)) return;
    const parent = graph.parents[index] ?? -1;
    const above = parent < 0 ? -1 : (of[parent] ?? -1);
    if (above !== knot) parents[knot] = above;
  });
  return parents.map((parent) => Math.max(parent, -1));
}

function fromTheTop(of: Int32Array, parents: Int32Array): { order: number[]; children: ReadonlyMap<number, number[]> } {
  const children = new Map<number, number[]>();
  const all = [...new Set(of)];
  for (const knot of all) {
    const parent = parents[knot] ?? -1;
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [knot]);
    else list.push(knot);
  }
  const order: number[] = [];
  const seen = new Set<number>();
  // Roots first; a ring of knots, which only a damaged file has, is entered at its first line.
  for (const start of [...(children.get(-1) ?? []), ...all]) {
    if (seen.has(start)) continue;
    parents[start] = -1;
    seen.add(start);
    const from = order.length;
    order.push(start);
    for (let at = from; at < order.length; at++) {
      for (const child of children.get(order[at] ?? -1) ?? []) {
        if (seen.has(child)) continue;
        seen.add(child);
        order.push(child);
      }
    }
  }
  return { order, children };
}

function isWeighty(entry: Linked): boolean {
  return (entry.kind === "user" && entry.role === "prompt") || (entry.kind === "assistant" && isCall(entry));
}

function kindOf(graph: Graph, ways: readonly number[]): "rewind" | "retry" {
  const answered = ways.every((way) => graph.nodes[way]?.kind === "assistant");
  return answered ? "retry" : "rewind";
}

function forkEntry(graph: Graph, ways: readonly number[], knot: number): Linked | null {
  if (knot < 0) return null;
  const parent = graph.parents[ways[0] ?? -1] ?? -1;
  return graph.nodes[parent >= 0 ? parent : knot] ?? null;
}

/** The newest line, unless a later `last-prompt` names one that more than attachments and system lines hang on. */
function activeLeaf(graph: Graph, knots: Knots, entries: readonly Entry[]): number {
  const newest = graph.nodes.length - 1;
  if (newest < 0) return -1;
  const last = graph.nodes[newest] as Linked;
  const named = entries.findLast((entry): entry is BareEntry => entry.kind === "last-prompt");
  if (named?.leafUuid === undefined || named.offset < last.offset || named.file !== last.file) return newest;
  const leaf = graph.indexOf(named.leafUuid);
  if (leaf === undefined) return newest;
  return isAbove(knots, leaf, newest) && onlyTrimmings(graph, leaf) ? newest : leaf;
}

function isAbove(knots: Knots, above: number, below: number): boolean {
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

function entriesUpTo(graph: Graph, knots: Knots, leaf: number): readonly Linked[] {
  const left = leftOut(knots, leaf);
  if (left.size === 0) return graph.nodes.filter((entry) => !graph.superseded(entry));
  const out = new Uint8Array(knots.of.length);
  for (const knot of knots.order) {
    if (left.has(knot) || out[knots.parents[knot] ?? -1] === 1) out[knot] = 1;
  }
  return graph.nodes.filter((entry, index) => out[knots.of[index] ?? -1] !== 1 && !graph.superseded(entry));
}

/** The alternatives that the way up from a leaf did not take. */
function leftOut(knots: Knots, leaf: number): Set<number> {
  const left = new Set<number>();
  const path = pathOf(knots, leaf);
  const onPath = new Set(path);
  for (const knot of [...path, -1]) {
    for (const way of knots.pointAt.get(knot)?.ways ?? []) if (!onPath.has(way)) left.add(way);
  }
  // A leaf that was gone back to: what once followed it is not part of the branch.
  const last = path[0] ?? -1;
  if (leaf !== knots.newest[last]) {
    for (const knot of knots.order) {
      if (knots.parents[knot] === last && knots.weighty[knot] === 1 && !onPath.has(knot)) left.add(knot);
    }
  }
  return left;
}

function pathOf(knots: Knots, leaf: number): number[] {
  const path: number[] = [];
  for (let at = knots.of[leaf] ?? -1; at >= 0; at = knots.parents[at] ?? -1) path.push(at);
  return path;
}

function listBranches(graph: Graph, knots: Knots, leaf: number, summaries: ReadonlyMap<string, string>): Branch[] {
  const branches: Branch[] = [];
  const waiting: { leaf: number; from?: number; point?: Point }[] = [{ leaf }];
  for (let at = 0; at < waiting.length; at++) {
    const { leaf: end, from, point } = waiting[at] as { leaf: number; from?: number; point?: Point };
    const uuid = graph.nodes[end]?.uuid ?? "";
    const whole = entriesUpTo(graph, knots, end);
    const size = from === undefined ? whole.length : countBelow(graph, knots, from, whole);
    const summary = summaries.get(uuid);
    branches.push({
      leaf: uuid,
      active: at === 0,
      ...(point === undefined
        ? {}
        : { forkPoint: forkEntry(graph, point.ways, point.knot)?.uuid ?? null, kind: point.kind }),
      size,
      ...(summary === undefined ? {} : { summary }),
    });
    const path = pathOf(knots, end);
    const stop = from === undefined ? path.length : path.indexOf(from) + 1;
    const own = path.slice(0, stop);
    for (const knot of from === undefined ? [...own, -1] : own) {
      const here = knots.pointAt.get(knot);
      for (const way of here?.ways ?? []) {
        if (here !== undefined && !own.includes(way))
          waiting.push({ leaf: knots.newest[way] ?? way, from: way, point: here });
      }
    }
  }
  return branches;
}

function countBelow(graph: Graph, knots: Knots, top: number, entries: readonly Linked[]): number {
  const below = new Uint8Array(knots.of.length);
  for (const knot of knots.order) if (knot === top || below[knots.parents[knot] ?? -1] === 1) below[knot] = 1;
  return entries.filter((entry) => below[knots.of[graph.indexOf(entry.uuid) ?? -1] ?? -1] === 1).length;
}
