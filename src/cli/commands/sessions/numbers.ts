import { Problem } from "../../../protocol/index.ts";
import { timeOf } from "../../../sessions/index.ts";

/** A whole number from the command line; undefined when the option was not given. */
export function countFrom(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new Problem("cli/usage", `--${option} takes a whole number, not "${text}".`, { about: { option, text } });
}

/** A point in time in milliseconds: a date, or a span before now. */
export function timeFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = timeOf(text, Date.now());
  if (time !== undefined) return time;
  throw new Problem("cli/usage", `"${text}" is no time. Use 2026-01-31, 2026-01-31T12:00, 90m, 2h or 7d.`, {
    about: { text },
  });
}
