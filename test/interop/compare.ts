import { isDeepStrictEqual } from "node:util";
import type { Case } from "./case.ts";
import { type DepartureName, departures } from "./departures.ts";
import type { Facts } from "./facts.ts";

export type Comparison =
  | { readonly kind: "agreement" }
  | { readonly kind: "departure"; readonly name: DepartureName }
  | { readonly kind: "waiting"; readonly for: string }
  | { readonly kind: "difference"; readonly why: string };

/** Both sides of a case, held against each other and against what the case says. */
export function compare({ interop }: Case, client: Facts, hookline: Facts): Comparison {
  if (!isDeepStrictEqual(client, interop.client))
    return differ("the client does not do what was recorded", interop.client, client);
  const { departure, awaits } = interop;
  const same = isDeepStrictEqual(client, hookline);
  if (awaits !== undefined) {
    if (!same) return { kind: "waiting", for: awaits };
    return differ(`the two do the same now: take "awaits": "${awaits}" out of the case`, client, hookline);
  }
  if (!departure) {
    if (same) return { kind: "agreement" };
    return differ("Hookline does something else than the client, and no departure is declared", client, hookline);
  }
  if (!(departure.name in departures)) return differ(`there is no departure "${departure.name}"`, client, hookline);
  if (same) {
    return differ(
      `the declared departure "${departure.name}" does not show: both do the same`,
      departure.hookline,
      hookline,
    );
  }
  if (!isDeepStrictEqual(hookline, departure.hookline)) {
    return differ(`Hookline departs otherwise than "${departure.name}" declares`, departure.hookline, hookline);
  }
  return { kind: "departure", name: departure.name };
}

function differ(why: string, expected: Facts, seen: Facts): Comparison {
  return {
    kind: "difference",
    why: `${why}\n  expected ${JSON.stringify(expected)}\n  seen     ${JSON.stringify(seen)}`,
  };
}
