import type { Graph, GraphEntry } from "./entry-graph.ts";
import { callKey, isModelCall } from "./model-call.ts";

/**
 * Groups of nodes that belong to one model call: the lines of its answer and the results of its tools. Any other node is a group of
 * its own. A group is identified by the index of its first node.
 */
export interface CallGroups {
  /** The group of every node. */
  readonly of: Int32Array;
  /** The parent group of every group, -1 for a root. */
  readonly parents: Int32Array;
  /** All groups, every parent before its children. */
  readonly order: Int32Array;
  /** 1 when the group or a group below it has a prompt or a call. */
  readonly hasContent: Uint8Array;
  /** The newest node in or below each group. */
  readonly newest: Int32Array;
  readonly points: readonly GroupFork[];
  readonly pointAt: ReadonlyMap<number, GroupFork>;
}

/** `group` is -1 for alternatives without a parent. */
export interface GroupFork {
  readonly group: number;
  readonly kind: "rewind" | "retry";
  readonly alternatives: readonly number[];
}

/** Parallel tool calls give one line several children. Between groups, only true forks are left. */
export function groupParallelCalls(graph: Graph): CallGroups {
  const of = groupNodes(graph);
  const parents = groupParents(graph, of);
  const { order, children } = topDown(of, parents);
  const withContent = new Uint8Array(of.length);
  const newest = new Int32Array(of.length);
  graph.nodes.forEach((entry, index) => {
    const group = of[index] ?? index;
    if (hasContent(entry) && !graph.superseded(entry)) withContent[group] = 1;
    newest[group] = index;
  });
  for (const group of order.toReversed()) {
    const parent = parents[group] ?? -1;
    if (parent < 0) continue;
    if (withContent[group] === 1) withContent[parent] = 1;
    newest[parent] = Math.max(newest[parent] ?? 0, newest[group] ?? 0);
  }
  const points: GroupFork[] = [];
  const addFork = (group: number) => {
    const alternatives = alternativesBelow(children, group, withContent);
    if (alternatives.length > 1) points.push({ group, alternatives, kind: forkKind(graph, alternatives) });
  };
  addFork(-1);
  for (const group of order) addFork(group);
  const pointAt = new Map(points.map((point) => [point.group, point]));
  return { of, parents, order, hasContent: withContent, newest, points, pointAt };
}

function groupNodes(graph: Graph): Int32Array {
  const of = new Int32Array(graph.nodes.length);
  const groupOfCall = new Map<string, number>();
  const groupOfTool = new Map<string, number>();
  graph.nodes.forEach((entry, index) => {
    of[index] = index;
    if (entry.kind !== "assistant" || !isModelCall(entry)) return;
    const group = groupOfCall.get(callKey(entry)) ?? index;
    groupOfCall.set(callKey(entry), group);
    of[index] = group;
    for (const block of entry.content) {
      if (block.type === "tool_use" && !groupOfTool.has(block.id)) groupOfTool.set(block.id, group);
    }
  });
  graph.nodes.forEach((entry, index) => {
    if (entry.kind !== "user" || entry.role !== "result") return;
    const result = entry.content.find((block) => block.type === "tool_result");
    const group = result?.type === "tool_result" ? groupOfTool.get(result.toolUseId) : undefined;
    if (group !== undefined) of[index] = group;
  });
  return of;
}

/** The parent of a group is the group of the first parent that is outside of it. */
function groupParents(graph: Graph, of: Int32Array): Int32Array {
  const unset = -2;
  const parents = new Int32Array(of.length).fill(unset);
  of.forEach((group, index) => {
    if (parents[group] !== unset || graph.superseded(graph.nodes[index] as GraphEntry)) return;
    const parent = graph.parents[index] ?? -1;
    const parentGroup = parent < 0 ? -1 : (of[parent] ?? -1);
    if (parentGroup !== group) parents[group] = parentGroup;
  });
  return parents.map((parent) => Math.max(parent, -1));
}

/** Linked lists in two arrays: the first child of each group, at index + 1, and the next sibling of each child. */
interface Children {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

function childrenOf(of: Int32Array, parents: Int32Array): Children {
  const first = new Int32Array(of.length + 1).fill(-1);
  const next = new Int32Array(of.length).fill(-1);
  for (let group = of.length - 1; group >= 0; group--) {
    if (of[group] !== group) continue;
    const parent = (parents[group] ?? -1) + 1;
    next[group] = first[parent] ?? -1;
    first[parent] = group;
  }
  return { first, next };
}

function topDown(of: Int32Array, parents: Int32Array): { order: Int32Array; children: Children } {
  const children = childrenOf(of, parents);
  const { first, next } = children;
  const order = new Int32Array(of.length);
  const isVisited = new Uint8Array(of.length);
  let count = 0;
  const visitFrom = (start: number): void => {
    parents[start] = -1;
    isVisited[start] = 1;
    let at = count;
    order[count++] = start;
    for (; at < count; at++) {
      for (let child = first[(order[at] ?? -1) + 1] ?? -1; child >= 0; child = next[child] ?? -1) {
        if (isVisited[child] === 1) continue;
        isVisited[child] = 1;
        order[count++] = child;
      }
    }
  };
  // Roots first. Only a damaged file has a cycle of groups; its first group becomes a root.
  for (let root = first[0] ?? -1; root >= 0; root = next[root] ?? -1) if (isVisited[root] === 0) visitFrom(root);
  for (let group = 0; group < of.length; group++) if (of[group] === group && isVisited[group] === 0) visitFrom(group);
  return { order: order.subarray(0, count), children };
}

const none: readonly never[] = [];

/** The children of a group that have content. Most groups have one child at most, and need no list. */
function alternativesBelow({ first, next }: Children, group: number, withContent: Uint8Array): readonly number[] {
  const firstChild = first[group + 1] ?? -1;
  if (firstChild < 0 || (next[firstChild] ?? -1) < 0) return none;
  const alternatives: number[] = [];
  for (let child = firstChild; child >= 0; child = next[child] ?? -1) {
    if (withContent[child] === 1) alternatives.push(child);
  }
  return alternatives;
}

function hasContent(entry: GraphEntry): boolean {
  return (entry.kind === "user" && entry.role === "prompt") || (entry.kind === "assistant" && isModelCall(entry));
}

function forkKind(graph: Graph, alternatives: readonly number[]): "rewind" | "retry" {
  return alternatives.every((group) => graph.nodes[group]?.kind === "assistant") ? "retry" : "rewind";
}
