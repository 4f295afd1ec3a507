/** A size such as "1.2 MB". */
export function sizeText(bytes: number): string {
  const { value, unit } = inUnits(bytes, ["B", "KB", "MB", "GB", "TB"]);
  return `${value >= 100 || unit === "B" ? Math.round(value) : value.toFixed(1)} ${unit}`;
}

/** A number in the largest of these units that fits; each is a thousand of the one before. */
export function inUnits(count: number, [unit = "", ...larger]: readonly string[]): { value: number; unit: string } {
  return count < 1000 || larger.length === 0 ? { value: count, unit } : inUnits(count / 1000, larger);
}

/** A time as `2026-11-15 06:44`, in the given time zone or that of this machine; empty for an invalid time. */
export function timeText(time: string | number | undefined, timeZone?: string): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  // This locale formats dates like ISO 8601.
  return date.toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short", ...(timeZone ? { timeZone } : {}) });
}

/** A time as `2026-11-15 06:44:01.123`, in the time zone of this machine; as it is given for an invalid time. */
export function exactTimeText(time: string): string {
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? time : local.toISOString().replace("T", " ").replace("Z", "");
}

/** A path with `~` in place of the home directory. */
export function homePath(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

export function durationText(ms: number | undefined): string {
  if (ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "1 call", "3 calls". */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** Micro-dollars in dollars and cents, with more digits for small amounts. */
export function moneyText(microUsd: number, complete: boolean = true): string {
  const size = Math.abs(microUsd);
  const digits = size > 0 && size < 100_000 ? 4 : 2;
  const shown = Math.round(size / 10 ** (6 - digits)) / 10 ** digits;
  const text = `${microUsd < 0 ? "-" : ""}$${inThousands(shown.toFixed(digits))}`;
  return complete ? text : `at least ${text}`;
}

/** 1234567 → "1,234,567", or "1.2M" when it must be short. */
export function countText(count: number, short: boolean = false): string {
  if (!short || count < 10_000) return inThousands(String(count));
  const { value, unit } = inUnits(count, ["", "k", "M", "G", "T", "P"]);
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)}${unit}`;
}

/** "1234567.50" → "1,234,567.50". `toLocaleString` loads the data of all locales first, which takes 20 ms. */
function inThousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ",");
}
