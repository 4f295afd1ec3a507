import { expect, test } from "vitest";
import { catalog, type EventName, type EventRow, eventNames } from "../protocol/index.ts";
import { createApp } from "./app.ts";
import { ruleOf, rules } from "./rules.ts";

test("SD-3: every event of the catalog has a rule and a method, and no rule is about anything else", () => {
  expect(Object.keys(rules).sort()).toEqual([...eventNames].sort());
  const app = createApp() as unknown as Record<string, unknown>;
  expect(eventNames.filter((name) => typeof app[ruleOf(name).method] !== "function")).toEqual([]);
  expect(new Set(eventNames.map((name) => ruleOf(name).method)).size).toBe(eventNames.length);
});

test("what a registration is matched on, and which events are about a tool, is what the row says", () => {
  const facts = (name: EventName) => {
    const row: EventRow = catalog[name];
    return { matches: row.matchesOn?.field, part: row.matchesOn?.part, tool: row.special.onTool };
  };
  const told = (name: EventName) => {
    const { matches, part, tool } = ruleOf(name);
    return { matches, part, tool };
  };
  expect(Object.fromEntries(eventNames.map((name) => [name, told(name)]))).toEqual(
    Object.fromEntries(eventNames.map((name) => [name, facts(name)])),
  );
});

test("SD-36: an event has a refusal exactly where its row honours a denial", () => {
  const can = eventNames.filter((name) => ruleOf(name).refusal !== undefined);
  expect(can).toEqual(eventNames.filter((name) => catalog[name].decisions.includes("deny")));
});
