import { Problem } from "../../protocol/internal.ts";
import type { Zone } from "./zone.ts";

const dayMs = 86_400_000;

/** A day from what a person writes: `2026-10-07`, `20261007`, `today`, `yesterday`, or `30d` and `4w` before today. */
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
  throw new Problem("usage/date", `"${text}" is not a day. Write 2026-10-07, 20261007, today, yesterday, 30d or 4w.`, {
    about: { text },
  });
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
export type Weekday = (typeof weekdays)[number];

/** The first day of the week that a day lies in. */
export function weekOf(day: string, start: Weekday): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday - weekdays.indexOf(start) + 7) % 7));
}

function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
