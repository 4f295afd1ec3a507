import type { Entry, SystemEntry } from "./entry.ts";

/** An entry that is a node of the conversation's graph. */
export type GraphEntry = Entry & { readonly uuid: string; readonly parentUuid: string | null };

/**
 * How an entry is linked to its parent: by its `parentUuid`, across a compaction (`logical`, `preserved`), or to the line before because
 * its parent is missing (`position`).
 */
export type ParentLink = "written" | "logical" | "preserved" | "position" | "root";

/** The entries of one conversation as a tree. An index is a position in `nodes`, which is in file order. */
export interface Graph {
  readonly nodes: readonly GraphEntry[];
  /** The index of each node's parent, -1 for a root. Has no cycles. */
  readonly parents: Int32Array;
  readonly findings: readonly GraphFinding[];
  /** True for a line whose uuid a later line has again: only the later line counts. */
  superseded(entry: Entry): boolean;
  indexOf(uuid: string): number | undefined;
  childrenOf(index: number): readonly number[];
  linkOf(index: number): ParentLink;
}

/** A problem with the links that the reader resolved. */
export interface GraphFinding {
  readonly what: "duplicate-uuid" | "parent-missing" | "logical-parent-missing" | "parent-cycle";
  readonly entry: GraphEntry;
}

export function graphOf(entries: readonly Entry[]): Graph {
  const nodes = entries.filter(isGraphEntry);
  const findings: GraphFinding[] = [];
  const indexes = new Map<string, number>();
  const superseded = new Set<Entry>();
  for (let index = 0; index < nodes.length; index++) {
    const entry = nodes[index] as GraphEntry;
    const earlier = indexes.get(entry.uuid);
    indexes.set(entry.uuid, index);
    if (earlier === undefined) continue;
    superseded.add(nodes[earlier] as GraphEntry);
    findings.push({ what: "duplicate-uuid", entry });
  }
  const parents = new Int32Array(nodes.length);
  /** Of the few nodes whose link is not written. */
  const links = new Map<number, ParentLink>();
  for (let index = 0; index < nodes.length; index++) {
    const { parentUuid } = nodes[index] as GraphEntry;
    const parent = parentUuid === null ? undefined : indexes.get(parentUuid);
    if (parent !== undefined && parent !== index) parents[index] = parent;
    else linkWithoutParent(index, parent);
  }
  for (const index of cutCycles(parents)) {
    links.set(index, "root");
    findings.push({ what: "parent-cycle", entry: nodes[index] as GraphEntry });
  }
  return {
    nodes,
    parents,
    findings,
    superseded: (entry) => superseded.size > 0 && superseded.has(entry),
    indexOf: (uuid) => indexes.get(uuid),
    childrenOf: childLists(parents),
    linkOf: (index) => links.get(index) ?? "written",
  };

  function link(index: number, parent: number, kind: ParentLink): void {
    parents[index] = parent;
    links.set(index, parent < 0 ? "root" : kind);
  }

  /** Links a node whose `parentUuid` is null, missing in the file, or its own uuid. */
  function linkWithoutParent(index: number, parent: number | undefined): void {
    const entry = nodes[index] as GraphEntry;
    if (entry.parentUuid !== null) {
      findings.push({ what: parent === index ? "parent-cycle" : "parent-missing", entry });
      link(index, index - 1, "position");
    } else if (isBoundary(entry)) linkBoundary(entry, index);
    else link(index, -1, "root");
  }

  /** A boundary has a logical parent. If that is missing, the preserved tail is used, else the line before. */
  function linkBoundary(boundary: SystemEntry, index: number): void {
    const earlierNode = (uuid = "") => {
      const at = indexes.get(uuid);
      return at !== undefined && at < index ? at : undefined;
    };
    const { logicalParentUuid, compactMetadata } = boundary;
    const logical = earlierNode(logicalParentUuid);
    const preserved = earlierNode(compactMetadata?.preservedSegment?.tailUuid);
    if (logical === undefined && logicalParentUuid !== undefined)
      findings.push({ what: "logical-parent-missing", entry: boundary });
    if (logical !== undefined) link(index, logical, "logical");
    else if (preserved !== undefined) link(index, preserved, "preserved");
    else link(index, index - 1, "position");
  }
}

export function isGraphEntry(entry: Entry): entry is GraphEntry {
  return entry.parentUuid !== undefined && entry.uuid !== undefined && entry.uuid !== "";
}

/** True for the line that begins a compaction. */
export function isBoundary(entry: GraphEntry | undefined): entry is SystemEntry {
  return entry?.kind === "system" && entry.subtype === "compact_boundary";
}

/**
 * Makes one node of each cycle a root, the latest, and returns them. Parents come before their children except in damaged files, so only
 * those can have cycles.
 */
function cutCycles(parents: Int32Array): number[] {
  if (parents.every((parent, index) => parent < index)) return [];
  const cut: number[] = [];
  const walked = new Int32Array(parents.length).fill(-1);
  for (let start = 0; start < parents.length; start++) {
    let at = start;
    while (at >= 0 && walked[at] === -1) {
      walked[at] = start;
      at = parents[at] ?? -1;
    }
    if (at < 0 || walked[at] !== start) continue;
    let latest = at;
    for (let next = parents[at] ?? -1; next !== at; next = parents[next] ?? -1) latest = Math.max(latest, next);
    parents[latest] = -1;
    cut.push(latest);
  }
  return cut;
}

/** Children by parent, in file order. Flat arrays, because a long session has a million nodes. */
export function childLists(parents: Int32Array): (index: number) => readonly number[] {
  const starts = new Int32Array(parents.length + 2);
  for (const parent of parents) if (parent >= 0) starts[parent + 2] = (starts[parent + 2] ?? 0) + 1;
  for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  const list = new Int32Array(parents.length);
  parents.forEach((parent, index) => {
    if (parent < 0) return;
    const slot = starts[parent + 1] ?? 0;
    list[slot] = index;
    starts[parent + 1] = slot + 1;
  });
  return (index) => Array.from(list.subarray(starts[index], starts[index + 1]));
}
