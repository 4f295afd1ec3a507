import { expect } from "vitest";
import type { Case, Json } from "./case.ts";
import { differences, outcomeDifferences } from "./compare.ts";
import { makeWorld, type World } from "./world.ts";

/** What came of an event: its outcome, or the problem the call was refused with. */
export type Result = { readonly outcome: Json } | { readonly problem: Json };

/** Plays a case in a world of its own and compares. */
export async function check(one: Case, play: (one: Case, world: World) => Promise<readonly Result[]>): Promise<void> {
  const world = await makeWorld(one.given);
  try {
    const results = await play(one, world);
    const wrong = one.outcomes.flatMap((then, index) => wrongWith(world.fill(withLoading(then, one)), results[index]));
    expect([...wrong, ...world.unasked], JSON.stringify(results, null, 1)).toEqual([]);
  } finally {
    await world.end();
  }
}

/** `fire --json` prints what loading and what the event had to say as one list. */
function withLoading(then: Json, { loading }: Case): Json {
  return { ...then, warnings: [...loading, ...((then["warnings"] ?? []) as readonly Json[])] };
}

function wrongWith(then: Json, result: Result | undefined): readonly string[] {
  if (result === undefined) return ["nothing came of the event"];
  if ("problem" in result) return differences(then["problem"], result.problem, "problem");
  if ("problem" in then) return [`expected the problem ${JSON.stringify(then["problem"])}, found an outcome`];
  return outcomeDifferences(then, result.outcome);
}
