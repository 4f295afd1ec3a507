import { defined, Problem } from "../protocol/internal.ts";
import type { Call } from "./command-line/command.ts";

/** The value of an option out of those it may have; undefined when the option was not given. */
export function oneOf<Value extends string>(
  option: string,
  text: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined;
  const known = values.find((value) => value === text);
  if (known !== undefined) return known;
  throw new Problem("cli/usage", `--${option} must be ${listed(values)}, not "${text}".`, { about: { option, text } });
}

function listed(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

/** The number above 0 that an option has; undefined when it was not given. */
export function positiveNumber(call: Call, option: string, whole: "whole" | "any" = "any"): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0 && Number.isFinite(value) && (whole === "any" || Number.isInteger(value))) return value;
  const kind = whole === "whole" ? "a whole number" : "a number";
  throw new Problem("cli/usage", `--${option} must be ${kind} above 0, not "${text}".`, { about: { option, text } });
}

/** The texts of those options that were given, under other names: `{ systemPrompt: "system-prompt" }`. */
export function optionTexts<Key extends string>(
  call: Call,
  options: Readonly<Record<Key, string>>,
): { [Name in Key]?: string } {
  const texts = Object.entries<string>(options).map(([key, option]) => [key, call.text(option)]);
  return defined(Object.fromEntries(texts)) as { [Name in Key]?: string };
}
