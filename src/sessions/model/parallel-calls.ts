import { childLists, type Graph, type GraphEntry } from "./entry-graph.ts";
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
  /** Every parent before its children. */
  readonly order: readonly number[];
  /** 1 when the group or a group below it has a prompt or a call. */
  readonly hasContent: Uint8Array;
  /** The newest node in or below each group. */
  readonly newest: Int32Array;
  /** By the group that they follow. */
  readonly forks: ReadonlyMap<number, GroupFork>;
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
  const all = [...of.keys()].filter((index) => of[index] === index);
  const roots = all.filter((group) => parents[group] === -1);
  const childrenOf = childLists(parents);
  const order = topDown([...roots, ...all], parents, childrenOf);
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
  const forks = new Map<number, GroupFork>();
  const addFork = (group: number, children: readonly number[]) => {
    const alternatives = children.filter((child) => withContent[child] === 1);
    if (alternatives.length > 1) forks.set(group, { group, alternatives, kind: forkKind(graph, alternatives) });
  };
  addFork(-1, roots);
  for (const group of order) addFork(group, childrenOf(group));
  return { of, parents, order, hasContent: withContent, newest, forks };
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

/** All groups, every parent before its children. Only a damaged file has a cycle of groups; its first group becomes a root. */
function topDown(
  rootsFirst: readonly number[],
  parents: Int32Array,
  childrenOf: (group: number) => readonly number[],
): readonly number[] {
  const order: number[] = [];
  const isVisited = new Uint8Array(parents.length);
  for (const root of rootsFirst) {
    if (isVisited[root] === 1) continue;
    parents[root] = -1;
    for (let at = order.push(root) - 1; at < order.length; at++) {
      const group = order[at] as number;
      isVisited[group] = 1;
      for (const child of childrenOf(group)) if (isVisited[child] !== 1) order.push(child);
    }
  }
  return order;
}

function hasContent(entry: GraphEntry): boolean {
  return (entry.kind === "user" && entry.role === "prompt") || (entry.kind === "assistant" && isModelCall(entry));
}

function forkKind(graph: Graph, alternatives: readonly number[]): "rewind" | "retry" {
  return alternatives.every((group) => graph.nodes[group]?.kind === "assistant") ? "retry" : "rewind";
}
