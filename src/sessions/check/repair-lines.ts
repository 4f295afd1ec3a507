import { groupBy } from "../../protocol/internal.ts";
import { interruptedResult } from "../formats/claude-code/write-record.ts";
import type { Entry, TranscriptItem } from "../model/entry.ts";
import { isBoundary, isGraphEntry } from "../model/entry-graph.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { setField, withoutBlocks } from "../write/edit-line.ts";
import { hasBadUuid, unansweredToolUses, unmatchedResults } from "./check-conversation.ts";
import type { CheckFinding } from "./check-session.ts";

/** The uuid each entry of a conversation will have. */
export type UuidOf = (entry: Entry) => string;

/** Gives a new uuid to every entry that has none, or one that another entry has too. */
export function repairUuids(thread: Conversation, repair: RepairChanges, uuid: () => string): UuidOf {
  const renewed = new Map<Entry, string>();
  const renew = (entry: Entry, fresh: string, code: string, why: string) => {
    renewed.set(entry, fresh);
    repair.setField(entry, "uuid", fresh);
    repair.report(entry, code, `line ${entry.line} ${why}: it gets the uuid ${fresh}`);
  };
  for (const entry of thread.entries) {
    if (!isGraphEntry(entry) && hasBadUuid(entry)) renew(entry, uuid(), "bad-uuid", "has no uuid");
  }
  for (const [id, nodes] of groupBy(thread.graph.nodes, ({ uuid: own }) => own)) {
    const last = nodes.at(-1);
    if (last === undefined) continue;
    const others = nodes.filter((node) => node !== last && !Buffer.from(node.raw()).equals(last.raw()));
    // Children refer to the later line, so the earlier one gets a new uuid.
    for (const node of others) renew(node, uuid(), "duplicate-uuid", `has the uuid of line ${last.line}`);
    if (!hasBadUuid(last)) continue;
    const fresh = uuid();
    for (const node of nodes)
      if (!others.includes(node)) renew(node, fresh, "bad-uuid", `calls itself ${JSON.stringify(id)}`);
  }
  return (entry) => renewed.get(entry) ?? entry.uuid ?? "";
}

/**
 * Links every entry to its parent as the reader understands it: a missing parent is the line before, a cycle is cut at its
 * latest line, and children of a line that is taken out get the parent of that line.
 */
export function repairParents(
  thread: Conversation,
  repair: RepairChanges,
  uuidOf: UuidOf,
  isTaken: (entry: Entry) => boolean,
): void {
  const { graph } = thread;
  const flawed = new Map(graph.findings.map(({ entry, what }) => [entry, what]));
  for (const [index, entry] of graph.nodes.entries()) {
    if (isTaken(entry) || (entry.parentUuid === null && !flawed.has(entry))) continue;
    if (isBoundary(entry) && !["parent-missing", "parent-cycle"].includes(flawed.get(entry) ?? "")) continue;
    // A compaction has no parent: another field names the entry that it continues.
    let at = isBoundary(entry) ? -1 : (graph.parents[index] ?? -1);
    while (at >= 0 && isTaken(graph.nodes[at] as Entry)) at = graph.parents[at] ?? -1;
    const node = graph.nodes[at];
    const parent = node === undefined ? null : uuidOf(node);
    if (parent === entry.parentUuid) continue;
    repair.setField(entry, "parentUuid", parent);
    const now = node === undefined ? "begins the conversation" : `has the parent at line ${node.line}`;
    repair.report(entry, flawed.get(entry) ?? "parent-taken", `line ${entry.line} now ${now}`);
  }
}

/** One repair of one line. */
export type RepairStep = Omit<CheckFinding, "severity" | "offset">;

/** The change of one line. */
export interface LineChange {
  /** Its new bytes; null takes it out. */
  bytes: Buffer | null;
  /** Lines to follow it. */
  readonly after: Buffer[];
  /** What was removed from it, to be kept in a file. */
  readonly removed: RemovedContent[];
}

export interface RemovedContent {
  readonly why: string;
  readonly content: Uint8Array | unknown;
}

export type RepairChanges = ReturnType<typeof openRepairChanges>;

/** The changes of a repair before anything is written. Other lines keep their bytes. */
export function openRepairChanges() {
  const mends: RepairStep[] = [];
  const changes = new Map<TranscriptItem, LineChange>();
  function change(item: TranscriptItem): LineChange {
    const bytes = () => Buffer.from(item.kind === "unreadable" ? item.bytes() : item.raw());
    const known = changes.get(item) ?? { bytes: bytes(), after: [], removed: [] };
    changes.set(item, known);
    return known;
  }
  return {
    mends,
    changes,
    change,
    /** Sets a field of a line that is not taken out. */
    setField(entry: Entry, key: string, value: unknown): void {
      const line = change(entry);
      line.bytes = line.bytes && setField(line.bytes, key, value);
    },
    report(item: TranscriptItem, code: string, message: string): void {
      const { file, line } = item;
      const uuid = item.kind === "unreadable" ? undefined : item.uuid;
      mends.push({ code, file, line, ...(uuid ? { uuid } : {}), message });
    },
  };
}

/** Removes results of calls that were never made or were answered before. Returns the entries that are removed as a whole. */
export function repairResults(
  thread: Conversation,
  repair: RepairChanges,
  isCalled: (id: string) => boolean,
): ReadonlySet<Entry> {
  const gone = new Set<Entry>();
  for (const [entry, strays] of groupBy(unmatchedResults(thread, isCalled), (stray) => stray.entry)) {
    const change = repair.change(entry);
    const why = [...new Set(strays.map(({ code }) => code))].join(", ");
    const blocks = new Set(strays.map(({ block }) => block));
    if (blocks.size === entry.content.length) {
      gone.add(entry);
      change.removed.push({ why, content: entry.raw() });
      change.bytes = null;
      repair.report(entry, why, `line ${entry.line} is removed and kept in hookline-set-aside.jsonl`);
    } else if (change.bytes !== null) {
      const { line, removed } = withoutBlocks(change.bytes, blocks);
      change.bytes = line;
      change.removed.push({ why, content: removed });
      const what = `${removed.length} results of line ${entry.line}`;
      repair.report(entry, why, `${what} are removed and kept in hookline-set-aside.jsonl`);
    }
  }
  return gone;
}

/** Adds a result to every call that has none: interrupted. */
export function repairToolUses(thread: Conversation, repair: RepairChanges, uuidOf: UuidOf, uuid: () => string): void {
  for (const { id, name, use } of unansweredToolUses(thread)) {
    repair.change(use).after.push(interruptedResult(use, id, uuidOf(use), uuid()));
    repair.report(use, "tool-use-without-result", `${name} (${id}) of line ${use.line} gets a result: interrupted`);
  }
}
