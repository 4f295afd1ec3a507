export { ticks } from "../files/index.ts";

const dayMs = 86_400_000;

/**
 * A time as `toISOString` spells it, for years of four digits. By hand: the first use of a date makes the engine look up the machine's time
 * zone, which costs a hook process more than the handler does.
 */
export function isoTime(ms: number): string {
  const days = Math.floor(ms / dayMs);
  const rest = Math.floor(ms - days * dayMs);
  // Years are counted from March, so that the odd day comes last: 400 of them are 146,097 days.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const day = shifted - era * 146_097;
  const year = Math.floor((day - Math.floor(day / 1_460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const date = [
    padded(year + era * 400 + (month <= 2 ? 1 : 0), 4),
    padded(month, 2),
    padded(dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1, 2),
  ];
  const time = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60, Math.floor(rest / 1_000) % 60];
  return `${date.join("-")}T${time.map((part) => padded(part, 2)).join(":")}.${padded(rest % 1_000, 3)}Z`;
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
