import type { Graph, GraphEntry } from "./entry-graph.ts";
import { callKey, isModelCall } from "./model-call.ts";

/** Knots of the graph: each is named by the index of its first line. */
export interface CallGroups {
  /** For every node the knot it belongs to. */
  readonly of: Int32Array;
  readonly parents: Int32Array;
  /** All knots, every parent before its children. */
  readonly order: Int32Array;
  /** True when a prompt or a call is in the knot or below it. */
  readonly hasContent: Uint8Array;
  /** The newest node below each knot. */
  readonly newest: Int32Array;
  readonly points: readonly GroupFork[];
  readonly pointAt: ReadonlyMap<number, GroupFork>;
}

/** `knot` is -1 for alternatives that have no parent. */
export interface GroupFork {
  readonly group: number;
  readonly kind: "rewind" | "retry";
  readonly alternatives: readonly number[];
}

/** Parallel tool calls make a plain parent walk fork at every batch: tied into knots, only true forks are left. */
export function groupParallelCalls(graph: Graph): CallGroups {
  const of = tie(graph);
  const parents = knotParents(graph, of);
  const { order, children } = fromTheTop(of, parents);
  const weighty = new Uint8Array(of.length);
  const newest = new Int32Array(of.length);
  graph.nodes.forEach((entry, index) => {
    const knot = of[index] ?? index;
    if (hasContent(entry) && !graph.superseded(entry)) weighty[knot] = 1;
    newest[knot] = index;
  });
  for (const knot of order.toReversed()) {
    const parent = parents[knot] ?? -1;
    if (parent < 0) continue;
    if (weighty[knot] === 1) weighty[parent] = 1;
    newest[parent] = Math.max(newest[parent] ?? 0, newest[knot] ?? 0);
  }
  const points: GroupFork[] = [];
  for (let at = -1; at < order.length; at++) {
    const knot = order[at] ?? -1;
    const ways = waysFrom(children, knot, weighty);
    if (ways !== undefined) points.push({ group: knot, alternatives: ways, kind: kindOf(graph, ways) });
  }
  return {
    of,
    parents,
    order,
    hasContent: weighty,
    newest,
    points,
    pointAt: new Map(points.map((point) => [point.group, point])),
  };
}

/** Lines of one answer, and the results of the tools it called, are tied together. */
function tie(graph: Graph): Int32Array {
  const of = new Int32Array(graph.nodes.length);
  const calls = new Map<string, number>();
  const tools = new Map<string, number>();
  graph.nodes.forEach((entry, index) => {
    of[index] = index;
    if (entry.kind === "assistant" && isModelCall(entry)) {
      const knot = calls.get(callKey(entry)) ?? index;
      calls.set(callKey(entry), knot);
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
    if ((parents[knot] ?? -2) >= -1 || graph.superseded(graph.nodes[index] as GraphEntry)) return;
    const parent = graph.parents[index] ?? -1;
    const above = parent < 0 ? -1 : (of[parent] ?? -1);
    if (above !== knot) parents[knot] = above;
  });
  return parents.map((parent) => Math.max(parent, -1));
}

/** The first child of each knot, at its index + 1, and the next one after each child: a long session has a hundred thousand of them. */
interface Children {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

function childrenOf(of: Int32Array, parents: Int32Array): Children {
  const first = new Int32Array(of.length + 1).fill(-1);
  const next = new Int32Array(of.length).fill(-1);
  for (let knot = of.length - 1; knot >= 0; knot--) {
    if (of[knot] !== knot) continue;
    const parent = (parents[knot] ?? -1) + 1;
    next[knot] = first[parent] ?? -1;
    first[parent] = knot;
  }
  return { first, next };
}

function fromTheTop(of: Int32Array, parents: Int32Array): { order: Int32Array; children: Children } {
  const children = childrenOf(of, parents);
  const { first, next } = children;
  const order = new Int32Array(of.length);
  const seen = new Uint8Array(of.length);
  let count = 0;
  const enter = (start: number): void => {
    parents[start] = -1;
    seen[start] = 1;
    let at = count;
    order[count++] = start;
    for (; at < count; at++) {
      for (let child = first[(order[at] ?? -1) + 1] ?? -1; child >= 0; child = next[child] ?? -1) {
        if (seen[child] === 1) continue;
        seen[child] = 1;
        order[count++] = child;
      }
    }
  };
  // Roots first; a ring of knots, which only a damaged file has, is entered at its first line.
  for (let root = first[0] ?? -1; root >= 0; root = next[root] ?? -1) if (seen[root] === 0) enter(root);
  for (let knot = 0; knot < of.length; knot++) if (of[knot] === knot && seen[knot] === 0) enter(knot);
  return { order: order.subarray(0, count), children };
}

/** The ways that lead on from a knot, if there are several. */
function waysFrom({ first, next }: Children, knot: number, weighty: Uint8Array): number[] | undefined {
  let child = first[knot + 1] ?? -1;
  if (child < 0 || (next[child] ?? -1) < 0) return undefined;
  const ways: number[] = [];
  for (; child >= 0; child = next[child] ?? -1) if (weighty[child] === 1) ways.push(child);
  return ways.length < 2 ? undefined : ways;
}

function hasContent(entry: GraphEntry): boolean {
  return (entry.kind === "user" && entry.role === "prompt") || (entry.kind === "assistant" && isModelCall(entry));
}

function kindOf(graph: Graph, ways: readonly number[]): "rewind" | "retry" {
  const answered = ways.every((way) => graph.nodes[way]?.kind === "assistant");
  return answered ? "retry" : "rewind";
}
