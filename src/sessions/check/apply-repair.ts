import type { Item } from "../model/entry.ts";
import { hasBom } from "../read/line-bytes.ts";
import type { Aside } from "./repair-changes.ts";
import type { RepairPlan } from "./repair-plan.ts";

/** A file after the repair, and what was taken out of it. */
export interface Repaired {
  readonly bytes: Buffer;
  readonly aside: readonly (Aside & { readonly line: number; readonly offset: number })[];
}

/** Contract: every byte that belongs to no change is in the result, in its order. `items` are those of this file, in order. */
export function applyPlan(file: string, bytes: Buffer, items: readonly Item[], plan: RepairPlan): Repaired {
  const parts: Buffer[] = [];
  const aside: { why: string; content: unknown; line: number; offset: number }[] = [];
  let done = 0;
  for (const line of changedLines(items, plan)) {
    const first = line[0];
    const last = line.at(-1);
    if (first === undefined || last === undefined) continue;
    const from = bytes.lastIndexOf(newline, first.offset - 1) + 1;
    const start = first.offset === 0 ? 0 : Math.max(from, hasBom(bytes) ? 3 : 0, 0);
    const stop = bytes.indexOf(newline, last.offset + last.length);
    const end = stop < 0 ? bytes.length : stop + 1;
    parts.push(bytes.subarray(done, start), rewritten(line, bytes, start, end, plan));
    done = end;
    for (const item of line) {
      for (const one of plan.changes.get(item)?.aside ?? [])
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
  const unended = result.length > 0 && result.at(-1) !== newline;
  return { bytes: unended ? Buffer.concat([result, Buffer.from("\n")]) : result, aside };
}

const newline = 0x0a;

/** The items of each line that has a change, line by line. */
function* changedLines(items: readonly Item[], plan: RepairPlan): Generator<Item[]> {
  const byLine = new Map<number, Item[]>();
  for (const item of items) {
    const line = byLine.get(item.line);
    if (line === undefined) byLine.set(item.line, [item]);
    else line.push(item);
  }
  for (const line of byLine.values()) if (line.some((item) => plan.changes.has(item))) yield line;
}

function rewritten(line: readonly Item[], bytes: Buffer, start: number, end: number, plan: RepairPlan): Buffer {
  const [only, ...others] = line;
  const parts: Buffer[] = [];
  for (const item of line) {
    const change = plan.changes.get(item);
    const own = change === undefined ? bytes.subarray(item.offset, item.offset + item.length) : change.bytes;
    if (own !== null && only === item && others.length === 0 && !isRecovered(item)) {
      // Blanks and a carriage return around the record stay where they are.
      const rest = bytes.subarray(item.offset + item.length, end);
      parts.push(
        bytes.subarray(start, item.offset),
        own,
        rest.at(-1) === newline ? rest : Buffer.concat([rest, Buffer.from("\n")]),
      );
    } else if (own !== null) parts.push(own, Buffer.from("\n"));
    for (const after of change?.after ?? []) parts.push(after, Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}

function isRecovered(item: Item): boolean {
  return item.kind !== "unreadable" && item.recovered === true;
}
