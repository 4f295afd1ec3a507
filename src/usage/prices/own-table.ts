import { readFileSync } from "node:fs";

/** Set by the build, which joins modules: then no file has to be found. */
declare const HOOKLINE_PRICES: string | undefined;

/** The package's own prices, as text. */
export function ownTable(): string {
  if (typeof HOOKLINE_PRICES === "string") return HOOKLINE_PRICES;
  return readFileSync(new URL("./anthropic.json", import.meta.url), "utf8");
}
