import { expect, test } from "vitest";
import type { PastEvent } from "./past-event.ts";
import { eventFilter, firstTimeTest } from "./select-events.ts";

const call = (tool: string, at = "2026-01-02T00:00:00Z"): PastEvent => ({
  name: "PreToolUse",
  payload: {},
  session: "s",
  tool,
  at,
  key: "k",
  missing: [],
});
const prompt: PastEvent = { name: "UserPromptSubmit", payload: {}, session: "s", key: "k", missing: [] };

test("tools are named exactly or by a pattern; Task and Agent are one tool; prompts have none", () => {
  const isSelected = eventFilter({ tools: ["Bash", "mcp__github__*", "Task"] });
  const names = ["Bash", "bash", "BashOutput", "mcp__github__create", "mcp__gitlab__create", "Agent", "Task"];
  expect(names.filter((name) => isSelected(call(name)))).toEqual(["Bash", "mcp__github__create", "Agent", "Task"]);
  expect([isSelected(prompt), eventFilter({})(prompt), eventFilter({ events: [] })(prompt)]).toEqual([
    false,
    true,
    true,
  ]);
});

test("special characters of regular expressions match themselves", () => {
  expect(eventFilter({ tools: ["a.c(*"] })(call("a.c(d"))).toBe(true);
  expect(eventFilter({ tools: ["a.c(*"] })(call("abc(d"))).toBe(false);
});

test("sinceMs selects later events and drops events without a time", () => {
  const isLate = eventFilter({ sinceMs: Date.parse("2026-01-02T00:00:00Z") });
  expect([isLate(call("Bash")), isLate(call("Bash", "2026-01-01T23:59:59Z")), isLate(prompt)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("an event that transcripts do not record is a problem with a hint", () => {
  expect(() => eventFilter({ events: ["PreTool"] })).toThrow("Did you mean PreToolUse?");
  expect(() => eventFilter({ events: ["Stop"] })).toThrow('"Stop" cannot be replayed');
});

test("each key is new once", () => {
  const isFirstTime = firstTimeTest();
  const keys = Array.from({ length: 20_000 }, (_, index) => `PreToolUse/${index}/toolu_${index % 7}`);
  expect([keys.every(isFirstTime), keys.some(isFirstTime)]).toEqual([true, false]);
});
