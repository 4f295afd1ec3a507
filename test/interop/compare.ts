import { isDeepStrictEqual } from "node:util";
import type { Case } from "./case.ts";
import { type DepartureName, departures } from "./departures.ts";
import type { Facts } from "./facts.ts";
import { isWithin } from "./versions.ts";

export type Comparison =
  | { readonly kind: "agreement" }
  | { readonly kind: "departure"; readonly name: DepartureName }
  /** Claude Code of this release did something else, as recorded; Hookline does what the newest one does. */
  | { readonly kind: "older-client" }
  | { readonly kind: "not-run"; readonly why: string }
  | { readonly kind: "difference"; readonly why: string };

/** Why this release of Claude Code cannot be brought into the case; undefined when it can. */
export function notRun({ interop }: Case, version: string): string | undefined {
  return interop.notRun && isWithin(version, interop.notRun) ? interop.notRun.why : undefined;
}

/** Compares both sides of a case with each other and with what the case records for this release of Claude Code. */
export function compare({ interop }: Case, client: Facts, hookline: Facts, version: string): Comparison {
  const { departure, older } = interop;
  const olderClient = older !== undefined && isWithin(version, { before: older.before });
  const recorded = olderClient ? older.client : interop.client;
  if (!isDeepStrictEqual(client, recorded)) {
    return differ(`Claude Code ${version} does not do what was recorded`, recorded, client);
  }
  if (departure && !(departure.name in departures)) {
    return differ(`there is no departure "${departure.name}"`, client, hookline);
  }
  if (departure && isDeepStrictEqual(departure.hookline, interop.client)) {
    return differ(`the departure "${departure.name}" declares what Claude Code does`, interop.client, hookline);
  }
  const expected = departure?.hookline ?? interop.client;
  if (!isDeepStrictEqual(hookline, expected)) {
    const why = departure
      ? `Hookline does not do what the departure "${departure.name}" declares`
      : "Hookline differs from Claude Code, and no departure is declared";
    return differ(why, expected, hookline);
  }
  if (isDeepStrictEqual(client, hookline)) return { kind: "agreement" };
  return olderClient || !departure ? { kind: "older-client" } : { kind: "departure", name: departure.name };
}

function differ(why: string, expected: Facts, seen: Facts): Comparison {
  return {
    kind: "difference",
    why: `${why}\n  expected ${JSON.stringify(expected)}\n  seen     ${JSON.stringify(seen)}`,
  };
}
