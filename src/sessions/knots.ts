import { isCall, keyOf } from "./call.ts";
import type { Graph, Linked } from "./graph.ts";

/** Knots of the graph: each is named by the index of its first line. */
export interface Knots {
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
export interface Point {
  readonly knot: number;
  readonly kind: "rewind" | "retry";
  readonly ways: readonly number[];
}

/** Parallel tool calls make a plain parent walk fork at every batch: tied into knots, only true forks are left. */
export function knotsOf(graph: Graph): Knots {
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
