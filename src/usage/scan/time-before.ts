import { readSync } from "node:fs";
import { fieldOf, parseJson } from "../../protocol/index.ts";
import { isRecord, type Line, recordsOf } from "../../sessions/index.ts";
import { timeOf } from "../calls/read-usage.ts";

const window = 64 * 1024;

/** The time of the nearest line before `offset` that has one; NaN when none does. Rare, so it simply reads backwards. */
export function timeBefore(descriptor: number, offset: number): number {
  let rest: Buffer = Buffer.alloc(0);
  for (let to = offset; to > 0; ) {
    const from = Math.max(0, to - window);
    const bytes = Buffer.alloc(to - from);
    const count = readSync(descriptor, bytes, 0, bytes.length, from);
    const whole: Buffer = Buffer.concat([bytes.subarray(0, count), rest]);
    const start = from === 0 ? 0 : whole.indexOf(10) + 1;
    // A window without a newline is the inside of a long line: look further back.
    if (start === 0 && from > 0) rest = whole;
    else {
      const at = lastTime(whole.subarray(start));
      if (!Number.isNaN(at)) return at;
      rest = Buffer.from(whole.subarray(0, start));
    }
    to = from;
  }
  return Number.NaN;
}

function lastTime(bytes: Buffer): number {
  for (const line of bytes.toString("utf8").split("\n").reverse()) {
    const at = timeIn(line);
    if (!Number.isNaN(at)) return at;
  }
  return Number.NaN;
}

function timeIn(line: string): number {
  // A key may be written with escapes.
  if (!line.includes('"timestamp"') && !line.includes("\\u")) return Number.NaN;
  const value = parseJson(line);
  // Damaged: what can be saved of it may still tell.
  return value === undefined ? timeInDamaged(Buffer.from(line)) : timeOf(fieldOf(value, "timestamp"));
}

function timeInDamaged(bytes: Buffer): number {
  const line: Line = { offset: 0, length: bytes.length, end: bytes.length + 1, line: 0, bytes, terminated: true };
  const times = recordsOf({ path: "", dev: 0, ino: 0 }, line, isRecord).map((item) =>
    item.kind === "record" ? timeOf(item.object["timestamp"]) : Number.NaN,
  );
  return times.findLast((at) => !Number.isNaN(at)) ?? Number.NaN;
}
