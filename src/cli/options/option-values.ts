import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defined, Problem } from "../../protocol/internal.ts";
import type { Io, ParsedCall } from "../command-line/command.ts";

/** The value of an option that takes one of a few; undefined when the option was not given. */
export function choice<Value extends string>(
  call: ParsedCall,
  option: string,
  values: readonly Value[],
): Value | undefined {
  const text = call.text(option);
  return text === undefined ? undefined : oneOf(option, text.toLowerCase(), values);
}

/** All values of an option that can be repeated or takes a list split at commas. */
export function choices<Value extends string>(
  call: ParsedCall,
  option: string,
  values: readonly Value[],
): readonly Value[] {
  const names = call.texts(option).flatMap((list) => list.split(",").map((name) => name.trim()));
  return names.filter(Boolean).map((name) => oneOf(option, name, values));
}

function oneOf<Value extends string>(option: string, text: string, values: readonly Value[]): Value {
  const known = values.find((value) => value === text);
  if (known !== undefined) return known;
  const list = `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
  throw invalid(option, list, text);
}

/** The number that an option has; undefined when it was not given. `wanted` says which numbers `isValid` accepts. */
export function numberOption(
  call: ParsedCall,
  option: string,
  wanted: string,
  isValid: (value: number) => boolean,
): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && isValid(value)) return value;
  throw invalid(option, wanted, text);
}

export function positiveNumber(call: ParsedCall, option: string): number | undefined {
  return numberOption(call, option, "a number above 0", (value) => value > 0);
}

/** A whole number, `from` or more. */
export function wholeNumber(call: ParsedCall, option: string, from: 0 | 1 = 0): number | undefined {
  const wanted = from === 0 ? "a whole number" : "a whole number above 0";
  return numberOption(call, option, wanted, (value) => Number.isSafeInteger(value) && value >= from);
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The point in time that an option names, in milliseconds: a day (its midnight here), a time of day, or a span before now. */
export function pointInTime(call: ParsedCall, option: string): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const before = timeBefore(text);
  if (before !== undefined) return before;
  const [, year, month, day = "01", clock] = /^(\d{4})-(\d{2})(?:-(\d{2}))?(.*)$/.exec(text) ?? [];
  const midnight = new Date(Number(year), Number(month) - 1, Number(day));
  // JavaScript reads 2026-02-30 as a day in March.
  const isDay = midnight.getMonth() + 1 === Number(month) && midnight.getDate() === Number(day);
  const time = !isDay ? Number.NaN : clock === "" ? midnight.getTime() : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const message = `--${option}: "${text}" is not a valid time. Use 2026-01-31, 2026-01-31T12:00, 90m, 2h or 7d.`;
  throw new Problem("cli/usage", message);
}

/** The time that is `90m`, `2h` or `7d` before now. Undefined for any other text. */
export function timeBefore(span: string): number | undefined {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(span) ?? [];
  return count === undefined ? undefined : Date.now() - Number(count) * (unitMs[unit] ?? 0);
}

/** The path of a directory that an option names. Throws a `Problem` when there is none. */
export function existingFolder(option: string, given: string, { cwd }: Io): string {
  const folder = resolve(cwd, given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new Problem("cli/usage", `--${option}: ${folder} is not a directory.`);
}

/** The directory that --cwd names (default: the current one). */
export function workingFolder(call: ParsedCall, io: Io): string {
  return existingFolder("cwd", call.text("cwd") ?? ".", io);
}

function invalid(option: string, wanted: string, text: string): Problem {
  return new Problem("cli/usage", `--${option} must be ${wanted}, not "${text}".`);
}

/** The texts of those options that were given, under other names: `{ systemPrompt: "system-prompt" }`. */
export function optionTexts<Key extends string>(
  call: ParsedCall,
  options: Readonly<Record<Key, string>>,
): { [Name in Key]?: string } {
  const texts = Object.entries<string>(options).map(([key, option]) => [key, call.text(option)]);
  return defined(Object.fromEntries(texts)) as { [Name in Key]?: string };
}
