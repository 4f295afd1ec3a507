import { inUnits } from "./figures.ts";

/** Micro-dollars as people read them: cents, and more digits only where cents would say nothing. */
export function moneyText(microUsd: number, complete: boolean = true): string {
  const size = Math.abs(microUsd);
  const digits = size > 0 && size < 100_000 ? 4 : 2;
  const shown = Math.round(size / 10 ** (6 - digits)) / 10 ** digits;
  const text = `${microUsd < 0 ? "-" : ""}$${inThousands(shown.toFixed(digits))}`;
  return complete ? text : `at least ${text}`;
}

/** 1234567 → "1,234,567", or "1.2M" where there is little room. */
export function countText(count: number, short: boolean = false): string {
  if (!short || count < 10_000) return inThousands(String(count));
  const { value, unit } = inUnits(count, ["", "k", "M", "G", "T", "P"]);
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)}${unit}`;
}

/** "1234567.50" → "1,234,567.50". The platform's own way loads the customs of every country first: 20 ms for a status bar. */
function inThousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ",");
}
