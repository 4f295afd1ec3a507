import { Problem } from "../../protocol/index.ts";
import type { Entry } from "../model/entry.ts";
import type { Element, Facts } from "./query-filters.ts";

/** A point in a session: a date, ISO text, a time before now (`"90m"`, `"2h"`, `"3d"`), or the uuid of an entry. */
export type Boundary = Date | string;

interface Around {
  readonly now: () => number;
  positionOf(uuid: string): Promise<Entry | undefined>;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Both sides are inclusive. By time, an element without one is on neither side; by entry, position in its file decides. */
export async function boundaryTest(
  { side, boundary }: { readonly side: "since" | "until"; readonly boundary: Boundary },
  around: Around,
): Promise<(element: Element, facts: Facts) => boolean> {
  const time = timeOf(boundary, around.now());
  if (time !== undefined) return byTime(side, time);
  const entry = await around.positionOf(String(boundary));
  if (entry === undefined) {
    throw new Problem(
      "sessions/bad-time",
      `"${String(boundary)}" is no time and no entry. Use a date, "2h" or a uuid.`,
      {
        about: { boundary },
      },
    );
  }
  const later = byTime(side, Date.parse(entry.timestamp ?? ""));
  return (element, facts) => {
    if (facts.entry?.file !== entry.file) return later(element, facts);
    return side === "since" ? facts.entry.offset >= entry.offset : facts.entry.offset <= entry.offset;
  };
}

/** Milliseconds for everything but a uuid. */
export function timeOf(boundary: Boundary, now: number): number | undefined {
  if (boundary instanceof Date) return Number.isNaN(boundary.getTime()) ? undefined : boundary.getTime();
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(boundary) ?? [];
  if (amount !== undefined && unit !== undefined) return now - Number(amount) * (units[unit] ?? 0);
  // A uuid may begin like a year; ISO text has its hyphen after four digits.
  if (!/^\d{4}-\d{2}/.test(boundary) || /^[0-9a-f]{8}-/i.test(boundary)) return undefined;
  const time = Date.parse(boundary);
  return Number.isNaN(time) ? undefined : time;
}

function byTime(side: "since" | "until", time: number): (element: Element, facts: Facts) => boolean {
  return (_, { timestamp }) => {
    const at = Date.parse(timestamp ?? "");
    return side === "since" ? at >= time : at <= time;
  };
}
