import { readSync } from "node:fs";
import { timeOf } from "../read-object.ts";

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
  if (!line.includes('"timestamp"')) return Number.NaN;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "timestamp" in value ? timeOf(value.timestamp) : Number.NaN;
  } catch {
    // A damaged line has no time to give; an earlier one may.
    return Number.NaN;
  }
}
