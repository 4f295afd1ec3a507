import type { Linked } from "../model/entry-graph.ts";
import type { Thread } from "../model/transcript-conversation.ts";
import { at, type Check, type CheckFinding, counted } from "./check-finding.ts";

/** How the entries of each conversation hang together. */
export const checkLinks: Check = function* ({ threads }) {
  for (const thread of threads) {
    yield* badUuids(thread);
    yield* graphFindings(thread);
    yield* roots(thread);
    yield* times(thread);
  }
};

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const threadedKinds: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment"]);

export function hasBadUuid({ kind, uuid }: { readonly kind: string; readonly uuid?: string }): boolean {
  if (uuid === undefined || uuid === "") return threadedKinds.has(kind);
  return !shape.test(uuid);
}

function* badUuids(thread: Thread): Generator<CheckFinding> {
  for (const entry of counted(thread)) {
    if (!hasBadUuid(entry)) continue;
    const said = entry.uuid ? `${JSON.stringify(entry.uuid)} is no uuid` : "has no uuid";
    yield at(entry, "bad-uuid", "error", `line ${entry.line}: ${said}`);
  }
}

function* graphFindings({ graph }: Thread): Generator<CheckFinding> {
  const repeated = repeatedLines(graph.nodes);
  for (const { what, entry } of graph.findings) {
    const { line, parentUuid, uuid } = entry;
    if (what === "duplicate-uuid") {
      const same = repeated.has(entry);
      const how = same ? "word for word" : "with other content; the later line counts";
      yield at(entry, what, same ? "warning" : "error", `line ${line} repeats the uuid of an earlier line ${how}`);
    } else if (what === "parent-missing") {
      yield at(entry, what, "error", `line ${line} hangs on ${parentUuid}, which is not in this file`);
    } else if (what === "parent-cycle") {
      yield at(entry, what, "error", `line ${line} (${uuid}) is its own ancestor`);
    } else {
      yield at(entry, what, "warning", `the compaction at line ${line} continues an entry that is not in this file`);
    }
  }
}

/** Lines that repeat, byte for byte, the line of the same uuid before them. */
export function repeatedLines(nodes: readonly Linked[]): ReadonlySet<Linked> {
  const newest = new Map<string, Linked>();
  const repeated = new Set<Linked>();
  for (const node of nodes) {
    const before = newest.get(node.uuid);
    if (before !== undefined && Buffer.from(node.raw()).equals(before.raw())) repeated.add(node);
    newest.set(node.uuid, node);
  }
  return repeated;
}

function* roots({ graph }: Thread): Generator<CheckFinding> {
  const tops = graph.nodes.filter((node) => node.parentUuid === null && !graph.superseded(node));
  const [first] = graph.nodes;
  if (first === undefined) return;
  if (tops.length === 0) yield at(first, "root-missing", "error", "no entry begins this conversation");
  const beginnings = tops.filter((node) => !(node.kind === "system" && node.subtype === "compact_boundary"));
  for (const entry of beginnings.slice(1)) {
    yield at(entry, "several-roots", "note", `line ${entry.line} begins the conversation again`);
  }
}

/** Clients write some lines late, so this much is usual. */
const usualSpreadMs = 60_000;

/** Timestamps never decide anything here; a large step back still says that lines were mixed or edited. */
function* times({ graph }: Thread): Generator<CheckFinding> {
  for (const [index, entry] of graph.nodes.entries()) {
    const parent = graph.nodes[graph.parents[index] ?? -1];
    if (parent === undefined || graph.linkOf(index) !== "written" || graph.superseded(entry)) continue;
    const [before, after] = [Date.parse(parent.timestamp ?? ""), Date.parse(entry.timestamp ?? "")];
    if (before - after > usualSpreadMs) {
      yield at(
        entry,
        "time-before-parent",
        "warning",
        `line ${entry.line} is ${before - after} ms older than its parent`,
      );
    }
  }
}
