import { describe, expect, test } from "vitest";
import { type Engine, openEngine } from "../../src/engine/internal.ts";
import { catalog, type EventRow, eventNames, Problem } from "../../src/protocol/internal.ts";
import { type Case, caseFault, conformanceCases, type Json } from "./case.ts";
import { check, type Result } from "./check.ts";
import type { World } from "./world.ts";

const cases = conformanceCases();

describe.concurrent("in process", () => {
  for (const one of cases) test(one.claim, () => check(one, inProcess));
});

test.each([
  ["decisions/x.json", '{"given":{},"whenn":{},"then":{}}', '"when" is missing; unknown key "whenn"'],
  ["decisions/x.json", '{"given":{"setings":{}},"when":{},"then":{}}', 'unknown key of given "setings"'],
  ["decisions/x.json", '{"given":{},"when":[{},{}],"then":{}}', "as many outcomes as events are needed"],
  ["decisions/x.json", "{", "not a JSON object"],
  ["decisions/Two words.json", '{"given":{},"when":{},"then":{}}', "a name has letters, digits and hyphens only"],
])("the mistakes in the case %s %s are named", (name, text, fault) => {
  expect(caseFault(name, text)).toBe(`${name}: ${fault}`);
});

test("there are at least 150 cases", () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
});

describe.each(eventNames.map((name): EventRow => catalog[name]))("$name", (row) => {
  const own = cases.filter(({ events }) => events.some(({ event }) => event === row.name));

  test.each([0, 1, 2])("has a case for exit %i", (code) => {
    expect(own.some((one) => expectsExit(one, row.name, code))).toBe(true);
  });

  test("has a case for each answer it honors", () => {
    const missing = row.answers.filter((answer) => !own.some((one) => says(one, answer)));
    expect(missing).toEqual([]);
  });

  test("has a case for a failure under both policies", () => {
    expect(own.some((one) => says(one, "onFailure"))).toBe(true);
    expect(own.some((one) => !says(one, "onFailure") && expectsExit(one, row.name, 1))).toBe(true);
  });

  test("has a case for continue: false", () => {
    expect(own.some((one) => says(one, "continue"))).toBe(true);
  });
});

function expectsExit({ events, outcomes }: Case, name: string, code: number): boolean {
  return events.some(({ event }, index) => {
    const runs = (outcomes[index]?.["runs"] ?? []) as readonly Json[];
    return event === name && runs.some(({ ended }) => (ended as Json | undefined)?.["code"] === code);
  });
}

/** Whether the case's hooks have a key, in what they are or in what they answer. */
function says({ given }: Case, key: string): boolean {
  return JSON.stringify(given).includes(`"${key}":`);
}

async function inProcess({ given, events }: Case, world: World): Promise<readonly Result[]> {
  const { home, project: cwd, extra: settings, env } = world;
  const results: Result[] = [];
  let engine: Engine | undefined;
  try {
    engine = await openEngine({ home, cwd, settings, env, trust: "implicit", ...given.options });
    for (const { event, payload } of events) {
      const outcome = await engine.fireUnknown(event, world.fill(payload) as Json);
      // What a host would read from `fire --json`.
      const complete = { ...outcome, warnings: [...engine.warnings, ...outcome.warnings] };
      results.push({ outcome: JSON.parse(JSON.stringify(complete)) });
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    results.push({ problem: { code: error.code, message: error.message } });
  } finally {
    await engine?.close({ waitMs: 2_000 });
  }
  return results;
}
