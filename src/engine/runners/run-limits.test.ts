import { expect, test } from "vitest";
import { catalog, type Hook } from "../../protocol/internal.ts";
import { eventBudgetMs, timeoutOf } from "./run-limits.ts";

const command: Hook = { type: "command", command: "true" };
const prompt: Hook = { type: "prompt", prompt: "ok?" };
const env = { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "4000" };

test("a hook's own timeout is in seconds; else the event's counts, else the type's", () => {
  expect(timeoutOf({ ...command, timeout: 0.5 }, catalog.UserPromptSubmit, {})).toBe(500);
  expect(timeoutOf(command, catalog.PreToolUse, {})).toBe(600_000);
  expect(timeoutOf({ type: "http", url: "https://x.io" }, catalog.PreToolUse, {})).toBe(600_000);
  expect(timeoutOf(prompt, catalog.PreToolUse, {})).toBe(30_000);
  expect(timeoutOf({ type: "agent", prompt: "ok?" }, catalog.Stop, {})).toBe(60_000);
  expect(timeoutOf({ type: "function", function: () => true, errorMessage: "" }, catalog.Stop, {})).toBe(5_000);
});

test("an event's own limit replaces the default of 600 s, and no other limit", () => {
  expect(timeoutOf(command, catalog.UserPromptSubmit, {})).toBe(30_000);
  expect(timeoutOf(command, catalog.PreModelSwitch, {})).toBe(30_000);
  expect(timeoutOf(command, catalog.MessageDisplay, {})).toBe(10_000);
  expect(timeoutOf(prompt, catalog.UserPromptSubmit, {})).toBe(30_000);
  expect(timeoutOf(command, catalog.SessionEnd, {})).toBe(1_500);
});

test("SessionEnd has 1.5 s in all; a hook's own timeout raises that to 60 s at most, a variable replaces it", () => {
  const { SessionEnd } = catalog;
  expect(eventBudgetMs(SessionEnd, [command], {})).toBe(1_500);
  expect(eventBudgetMs(SessionEnd, [command, { ...command, timeout: 5 }], {})).toBe(5_000);
  expect(eventBudgetMs(SessionEnd, [{ ...command, timeout: 600 }], {})).toBe(60_000);
  expect(eventBudgetMs(SessionEnd, [{ ...command, timeout: 600 }], env)).toBe(4_000);
  expect(timeoutOf(command, SessionEnd, env)).toBe(4_000);
  expect(eventBudgetMs(catalog.Stop, [command], env)).toBeUndefined();
});
