import { groupBy } from "../../protocol/internal.ts";
import type { TranscriptItem } from "../model/entry.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { hasBom } from "../read/byte-source.ts";
import type { CheckedSession, FileTail } from "./check-session.ts";
import {
  openRepairChanges,
  type RemovedContent,
  type RepairChanges,
  type RepairStep,
  repairParents,
  repairResults,
  repairToolUses,
  repairUuids,
} from "./repair-lines.ts";

/** What a repair would change. Lines that are not in it keep their bytes. */
export interface RepairPlan extends Pick<RepairChanges, "mends" | "changes"> {
  readonly tails: readonly FileTail[];
}

/** Contract: nothing is written; lines are read again from disk for their bytes. */
export function planRepair(session: CheckedSession, uuid: () => string): RepairPlan {
  const repair = openRepairChanges();
  for (const item of session.model.unreadable) {
    const change = repair.change(item);
    change.removed.push({ why: `bad-line, ${item.why}`, content: change.bytes });
    change.bytes = null;
    const what = `${item.length} bytes of line ${item.line}`;
    repair.report(item, "bad-line", `${what} are removed and kept in hookline-set-aside.jsonl`);
  }
  for (const thread of session.threads) {
    takeApart(thread, repair);
    const uuidOf = repairUuids(thread, repair, uuid);
    const gone = repairResults(thread, repair, (id) => session.model.toolCall(id) !== undefined);
    repairParents(thread, repair, uuidOf, (entry) => gone.has(entry));
    repairToolUses(thread, repair, uuidOf, uuid);
    repairSessionId(thread, session.model.id, repair);
  }
  const tails = session.live ? [] : session.tails;
  return { mends: [...repair.mends, ...tails.map((tail) => tailStep(tail, session))], changes: repair.changes, tails };
}

/** Records that share a line with others, or with damage, get a line each. */
function takeApart({ entries }: Conversation, repair: RepairChanges): void {
  for (const entry of entries) {
    if (!entry.recovered) continue;
    repair.change(entry);
    repair.report(entry, "bad-line", `a record of line ${entry.line} gets a line of its own`);
  }
}

/** The other id stays in the line as that of an ancestor. */
function repairSessionId({ entries }: Conversation, id: string, repair: RepairChanges): void {
  const lines = entries.filter(({ sessionId }) => sessionId !== undefined && sessionId !== id);
  for (const [other, all] of groupBy(lines, ({ sessionId = "" }) => sessionId)) {
    for (const entry of all) {
      repair.setField(entry, "sessionId", id);
      if (entry.ancestorSessionId === undefined) repair.setField(entry, "session_id", other);
    }
    const [first] = all;
    if (first !== undefined)
      repair.report(first, "session-id-mixed", `${all.length} lines of session ${other} are named after this one`);
  }
}

function tailStep({ file, line, length, offset }: FileTail, { threads }: CheckedSession): RepairStep {
  const isRecord = threads.some(({ entries }) =>
    entries.some((entry) => entry.file === file && entry.offset >= offset),
  );
  const removed = `the last ${length} bytes are removed and kept in hookline-set-aside.jsonl`;
  return { code: "torn-tail", file, line, message: isRecord ? "the last record gets its newline" : removed };
}

/** A file after the repair, and what was taken out of it. */
export interface RepairedFile {
  readonly bytes: Buffer;
  readonly removed: readonly (RemovedContent & { readonly line: number; readonly offset: number })[];
}

/** Contract: every byte that belongs to no change is in the result, in its order. `items` are those of this file, in order. */
export function applyPlan(
  file: string,
  bytes: Buffer,
  items: readonly TranscriptItem[],
  plan: RepairPlan,
): RepairedFile {
  const parts: Buffer[] = [];
  const aside: { why: string; content: unknown; line: number; offset: number }[] = [];
  let done = 0;
  for (const line of groupBy(items, (item) => item.line).values()) {
    const first = line[0];
    const last = line.at(-1);
    if (first === undefined || last === undefined || !line.some((item) => plan.changes.has(item))) continue;
    const from = bytes.lastIndexOf(newline, first.offset - 1) + 1;
    const start = first.offset === 0 ? 0 : Math.max(from, hasBom(bytes) ? 3 : 0, 0);
    const stop = bytes.indexOf(newline, last.offset + last.length);
    const end = stop < 0 ? bytes.length : stop + 1;
    parts.push(bytes.subarray(done, start), rewritten(line, bytes, start, end, plan));
    done = end;
    for (const item of line) {
      for (const one of plan.changes.get(item)?.removed ?? [])
        aside.push({ ...one, line: item.line, offset: item.offset });
    }
  }
  const tail = plan.tails.find((one) => one.file === file);
  const isRecord = tail !== undefined && items.some(({ offset }) => offset >= tail.offset);
  if (tail !== undefined && !isRecord) {
    parts.push(bytes.subarray(done, tail.offset));
    aside.push({ why: "torn-tail", content: bytes.subarray(tail.offset), line: tail.line, offset: tail.offset });
  } else {
    parts.push(bytes.subarray(done));
  }
  const result = Buffer.concat(parts);
  return { bytes: result.length > 0 ? withNewline(result) : result, removed: aside };
}

const newline = 0x0a;

function withNewline(bytes: Buffer): Buffer {
  return bytes.at(-1) === newline ? bytes : Buffer.concat([bytes, Buffer.from("\n")]);
}

function rewritten(
  line: readonly TranscriptItem[],
  bytes: Buffer,
  start: number,
  end: number,
  plan: RepairPlan,
): Buffer {
  const [only, ...others] = line;
  const parts: Buffer[] = [];
  for (const item of line) {
    const change = plan.changes.get(item);
    const own = change === undefined ? bytes.subarray(item.offset, item.offset + item.length) : change.bytes;
    if (own !== null && only === item && others.length === 0 && !isRecovered(item)) {
      // Blanks and a carriage return around the record stay where they are.
      const rest = bytes.subarray(item.offset + item.length, end);
      parts.push(bytes.subarray(start, item.offset), own, withNewline(rest));
    } else if (own !== null) parts.push(own, Buffer.from("\n"));
    for (const after of change?.after ?? []) parts.push(after, Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}

function isRecovered(item: TranscriptItem): boolean {
  return item.kind !== "unreadable" && item.recovered === true;
}
