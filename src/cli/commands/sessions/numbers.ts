import { Problem } from "../../../protocol/internal.ts";
import { boundaryTimeMs } from "../../../sessions/internal.ts";

/** A whole number from the command line; undefined when the option was not given. */
export function countFrom(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new Problem("cli/usage", `--${option} takes a whole number, not "${text}".`, { about: { option, text } });
}

/** A point in time in milliseconds: a day (from its midnight here, as times are printed), a time of day, or a span before now. */
export function timeFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day, more] = /^(\d{4})-(\d{2})-(\d{2})(.*)$/.exec(text) ?? [];
  const midnight = year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(day));
  // A day that no calendar has, such as 2026-02-30, would be taken for one in March.
  const isDay =
    midnight === undefined || (midnight.getMonth() + 1 === Number(month) && midnight.getDate() === Number(day));
  const time = isDay ? (more === "" ? midnight?.getTime() : boundaryTimeMs(text, Date.now())) : undefined;
  if (time !== undefined) return time;
  throw new Problem("cli/usage", `"${text}" is no time. Use 2026-01-31, 2026-01-31T12:00, 90m, 2h or 7d.`, {
    about: { text },
  });
}
