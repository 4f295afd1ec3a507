import { readlinkSync } from "node:fs";
import { attempt, each, memoized, Problem } from "../../protocol/internal.ts";

const dayMs = 86_400_000;

/** A day from what a user writes: `2026-10-07`, `20261007`, `today`, `yesterday`, or `30d` and `4w` before today. */
export function dayFrom(text: string, zone: Zone, now: number): string {
  const plain = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text);
  if (plain !== null) {
    const day = `${plain[1]}-${plain[2]}-${plain[3]}`;
    if (isDay(day)) return day;
  }
  if (text === "today") return zone.dayOf(now);
  if (text === "yesterday") return addDays(zone.dayOf(now), -1);
  const ago = /^(\d{1,5})([dw])$/.exec(text);
  if (ago !== null) return addDays(zone.dayOf(now), -Number(ago[1]) * (ago[2] === "w" ? 7 : 1));
  const message = `"${text}" is not a day. Write 2026-10-07, 20261007, today, yesterday, 30d or 4w.`;
  throw new Problem("usage/date", message, { about: { text } });
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
/** A day of the week in lower case, such as `monday`. */
export type Weekday = (typeof weekdays)[number];

/** The first day of the week of a day. */
export function weekOf(day: string, start: Weekday): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday - weekdays.indexOf(start) + 7) % 7));
}

function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

/** Calendar days of a time zone. */
export interface Zone {
  /** Its name, for the report. */
  readonly name: string;
  /** The day, as `2026-10-07`, that a moment falls on. */
  dayOf(ms: number): string;
}

/** The zone of that name; the system's when none is given. Throws `usage/timezone` for an unknown name. */
export function openZone(name?: string): Zone {
  const offsetOf = name === undefined ? systemOffset : name === "UTC" ? () => 0 : namedOffset(name);
  const offsetsOn = memoized((day: number) => [offsetOf(day * dayMs), offsetOf((day + 1) * dayMs - 1)] as const);
  return {
    name: name ?? systemName(),
    dayOf(ms) {
      const [from, to] = offsetsOn(Math.floor(ms / dayMs));
      // The offset changes within a day twice a year, if at all.
      const offset = from === to ? from : offsetOf(ms);
      return new Date(ms + offset).toISOString().slice(0, 10);
    },
  };
}

function systemOffset(ms: number): number {
  return -new Date(ms).getTimezoneOffset() * 60_000;
}

/** Loading the data of all zones takes longer than a report, so the system's own name is tried first. */
function systemName(): string {
  const { TZ } = process.env;
  const named = TZ === undefined ? linkedZone() : /^[A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)*$/.exec(TZ)?.[0];
  return named ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function linkedZone(): string | undefined {
  return /\/zoneinfo\/(.+)$/.exec(attempt(() => readlinkSync("/etc/localtime")) ?? "")?.[1];
}

function namedOffset(name: string): (ms: number) => number {
  const format = formatFor(name);
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  };
}

function formatFor(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      ...each("numeric", "year", "month", "day", "hour", "minute", "second"),
    });
  } catch (cause) {
    const message = `"${name}" is not a time zone. Write it as Europe/Berlin, or UTC.`;
    throw new Problem("usage/timezone", message, { about: { timezone: name }, cause });
  }
}
