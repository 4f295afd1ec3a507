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
  const { parents, links } = linksOf(nodes, indexes, findings);
  cutCycles(nodes, parents, links, findings);
  return {
    nodes,
    parents,
    findings,
    superseded: (entry) => superseded.size > 0 && superseded.has(entry),
    indexOf: (uuid) => indexes.get(uuid),
    childrenOf: childLists(parents),
    linkOf: (index) => linkKinds[links[index] ?? 0] ?? "written",
  };
}

export function isGraphEntry(entry: Entry): entry is GraphEntry {
  return entry.parentUuid !== undefined && entry.uuid !== undefined && entry.uuid !== "";
}

/** True for the line that begins a compaction. */
export function isBoundary(entry: GraphEntry | undefined): entry is SystemEntry {
  return entry?.kind === "system" && entry.subtype === "compact_boundary";
}

const linkKinds = ["written", "logical", "preserved", "position", "root"] as const;

interface Links {
  readonly parents: Int32Array;
  readonly links: Uint8Array;
}

function linksOf(nodes: readonly GraphEntry[], indexes: ReadonlyMap<string, number>, findings: GraphFinding[]): Links {
  const parents = new Int32Array(nodes.length);
  const links = new Uint8Array(nodes.length);
  for (let index = 0; index < nodes.length; index++) {
    const entry = nodes[index] as GraphEntry;
    const parent = entry.parentUuid === null ? undefined : indexes.get(entry.parentUuid);
    if (parent !== undefined && parent !== index) {
      parents[index] = parent;
      continue;
    }
    const link = linkWithoutParent(entry, index, parent, indexes, findings);
    parents[index] = link.parent;
    links[index] = linkKinds.indexOf(link.kind);
  }
  return { parents, links };
}

interface Link {
  readonly parent: number;
  readonly kind: ParentLink;
}

/** The link of an entry whose `parentUuid` is null, missing in the file, or its own uuid. */
function linkWithoutParent(
  entry: GraphEntry,
  index: number,
  parent: number | undefined,
  indexes: ReadonlyMap<string, number>,
  findings: GraphFinding[],
): Link {
  if (entry.parentUuid === null) {
    return isBoundary(entry) ? linkBoundary(entry, index, indexes, findings) : { parent: -1, kind: "root" };
  }
  findings.push({ what: parent === index ? "parent-cycle" : "parent-missing", entry });
  return lineBefore(index);
}

/** A boundary has a logical parent. If that is missing, the preserved tail is used, else the line before. */
function linkBoundary(
  boundary: SystemEntry,
  index: number,
  indexes: ReadonlyMap<string, number>,
  findings: GraphFinding[],
): Link {
  const earlierNode = (uuid: string | undefined) => {
    const at = uuid === undefined ? undefined : indexes.get(uuid);
    return at !== undefined && at < index ? at : undefined;
  };
  const logical = earlierNode(boundary.logicalParentUuid);
  if (logical !== undefined) return { parent: logical, kind: "logical" };
  if (boundary.logicalParentUuid !== undefined) findings.push({ what: "logical-parent-missing", entry: boundary });
  const preserved = earlierNode(boundary.compactMetadata?.preservedSegment?.tailUuid);
  return preserved === undefined ? lineBefore(index) : { parent: preserved, kind: "preserved" };
}

function lineBefore(index: number): Link {
  return { parent: index - 1, kind: index === 0 ? "root" : "position" };
}

/** Parents come before their children except in damaged files, so only those can have cycles. */
function cutCycles(
  nodes: readonly GraphEntry[],
  parents: Int32Array,
  links: Uint8Array,
  findings: GraphFinding[],
): void {
  if (parents.every((parent, index) => parent < index)) return;
  const walked = new Int32Array(nodes.length).fill(-1);
  for (let start = 0; start < nodes.length; start++) {
    let at = start;
    while (at >= 0 && walked[at] === -1) {
      walked[at] = start;
      at = parents[at] ?? -1;
    }
    if (at < 0 || walked[at] !== start) continue;
    let latest = at;
    for (let next = parents[at] ?? -1; next !== at; next = parents[next] ?? -1) latest = Math.max(latest, next);
    parents[latest] = -1;
    links[latest] = linkKinds.indexOf("root");
    findings.push({ what: "parent-cycle", entry: nodes[latest] as GraphEntry });
  }
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
