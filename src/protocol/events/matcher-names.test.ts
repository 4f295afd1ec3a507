import { expect, test } from "vitest";
import { handlersThatNeverRun } from "../internal.ts";

test("a handler for a name that never comes is named with what was meant", () => {
  expect(handlersThatNeverRun("PreToolUse", ["PreToolUse:bash", "PreToolUse:Write"])).toEqual([
    'A handler of PreToolUse for "bash" never runs. Did you mean "Bash"?',
  ]);
  expect(handlersThatNeverRun("SessionStart", ["SessionStart:resumed"])).toEqual([
    'A handler of SessionStart for "resumed" never runs. Did you mean "resume"?',
  ]);
  expect(handlersThatNeverRun("PreToolUse", ["PreToolUse:run_shell_command"])).toEqual([
    'A handler of PreToolUse for "run_shell_command" never runs: Gemini CLI or Qwen Code has such a tool, Claude Code has not.',
  ]);
  expect(handlersThatNeverRun("PreTolUse", ["PreTolUse"])).toEqual([
    '"PreTolUse" is not an event of Claude Code, so its handlers never run. Did you mean "PreToolUse"?',
  ]);
});

test.each([
  ["Bsh", "Bash"],
  ["Edti", "Edit"],
  ["Wrte", "Write"],
  ["WebFetsh", "WebFetch"],
  ["Reed", "Read"],
])("a handler for the misspelled tool %s never runs", (name, meant) => {
  expect(handlersThatNeverRun("PreToolUse", [`PreToolUse:${name}`])).toEqual([
    `A handler of PreToolUse for "${name}" never runs. Did you mean "${meant}"?`,
  ]);
});

test("a name that may come is not warned about: a new tool, a tool of a server, a pattern, all", () => {
  const ids = ["TimeTravel", "LSP", "BashOutput", "Deploy", "Send", "mcp__github__create_issue", "mcp__*", "*"].map(
    (name) => `PreToolUse:${name}`,
  );
  expect(handlersThatNeverRun("PreToolUse", [...ids, "PreToolUse"])).toEqual([]);
  expect(handlersThatNeverRun("Stop", ["Stop"])).toEqual([]);
});

test.each([
  ["PreToolUse", "mcp__github__", "mcp__github__*"],
  ["PreToolUse", "Bash:*", "Bash"],
  ["PreToolUse", "Bash.*", "Bash*"],
  ["PreToolUse", "mcp__.*", "mcp__*"],
  ["PreToolUse", "/Bash/", "Bash"],
  ["PreToolUse", "bash*", "Bash"],
  ["SessionStart", "begin*", "startup, resume, clear, compact, fork"],
  ["FileChanged", "src/.env", ".env"],
])("a handler of %s for %s never runs, and the warning has what was meant", (event, name, meant) => {
  expect(handlersThatNeverRun(event, [`${event}:${name}`])).toEqual([
    `A handler of ${event} for "${name}" never runs. Did you mean "${meant}"?`,
  ]);
});

test("patterns that may match are not warned about", () => {
  const ids = ["*__bash", "mcp__files__read*", "Notebook*", "read-*", "*"].map((name) => `PreToolUse:${name}`);
  expect(handlersThatNeverRun("PreToolUse", ids)).toEqual([]);
  expect(handlersThatNeverRun("SessionStart", ["SessionStart:start*"])).toEqual([]);
  expect(handlersThatNeverRun("FileChanged", ["FileChanged:*.env"])).toEqual([]);
});
