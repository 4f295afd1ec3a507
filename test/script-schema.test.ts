import fc from "fast-check";
import { expect, test } from "vitest";
import { scriptSchema } from "../scripts/schema/index.ts";
import { parseScript } from "../src/models/internal.ts";

test("the reader of scripts and the published schema agree on any value", () => {
  fc.assert(
    fc.property(scripts, (value) => {
      expect(reads(value), JSON.stringify(value)).toBe(scriptSchema.safeParse(value).success);
    }),
    { numRuns: 1000 },
  );
});

test("both refuse what is misspelled, of the wrong kind or out of bounds", () => {
  const wrong = [
    [],
    {},
    { answers: {} },
    { answers: [], anwsers: [] },
    { answers: [{ text: "" }] },
    { answers: [{ times: 0 }] },
    { answers: [{ when: { purpose: "other" } }] },
    { answers: [{ expect: { contains: ["x"] } }] },
    { answers: [{ error: { status: 200 } }] },
    { answers: [{ calls: [{ input: {} }] }] },
    { answers: [{ usage: { input: -1 } }] },
  ];
  expect(wrong.filter((value) => reads(value) || scriptSchema.safeParse(value).success)).toEqual([]);
});

function reads(value: unknown): boolean {
  try {
    parseScript(value, "it");
    return true;
  } catch {
    return false; // a Problem: what the reader says of a bad script
  }
}

/** Mostly right, often wrong in one place. */
const text = fc.constantFrom<unknown>("a", "b", "", 1);
const count = fc.constantFrom<unknown>(0, 1, 7, -1, 1.5, "1");
const condition = fc.record(
  { purpose: fc.constantFrom("main", "title", "any", "else"), agent: text, lastMessage: text },
  { requiredKeys: [] },
);
const expectation = fc.record(
  {
    in: fc.constantFrom("system", "tools", "head"),
    contains: fc.array(text, { maxLength: 2 }),
    lacks: fc.constant(["x"]),
  },
  { requiredKeys: [] },
);
const answer = fc.record(
  {
    when: condition,
    times: fc.constantFrom<unknown>(1, 2, "any", 0, "all"),
    expect: fc.array(expectation, { maxLength: 2 }),
    text,
    thinking: text,
    calls: fc.array(
      fc.record({ tool: text, input: fc.constantFrom<unknown>({}, [], null), id: text }, { requiredKeys: [] }),
      {
        maxLength: 2,
      },
    ),
    usage: fc.record({ input: count, cacheRead: count, other: count }, { requiredKeys: [] }),
    chunk: fc.record({ size: count, delayMs: count }, { requiredKeys: [] }),
    error: fc.record({ status: fc.constantFrom(400, 529, 200, 600), retryAfterMs: count }, { requiredKeys: [] }),
    further: text,
  },
  { requiredKeys: [] },
);
const scripts = fc.record(
  {
    $schema: text,
    model: text,
    contextWindow: count,
    ids: fc.constantFrom("counted", "random", "none"),
    answers: fc.array(answer, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
