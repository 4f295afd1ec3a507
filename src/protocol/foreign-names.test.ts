import { expect, test } from "vitest";
import { eventNames, foreignName } from "./internal.ts";

test("a name that Claude Code uses is in no table of another agent", () => {
  expect(eventNames.filter((name) => foreignName(name, undefined) !== undefined)).toEqual([]);
  const tools =
    "Bash Read Write Edit MultiEdit NotebookEdit Grep Glob Agent Task WebFetch WebSearch Skill LS PowerShell";
  expect(tools.split(" ").filter((name) => foreignName("PreToolUse", name) !== undefined)).toEqual([]);
});

test("a name of another agent is found with the agents that use it, the event first", () => {
  expect(foreignName("BeforeTool", "run_shell_command")).toEqual({
    kind: "event",
    name: "BeforeTool",
    agent: "Gemini CLI",
  });
  expect(foreignName("PreToolUse", "exec_command")).toEqual({ kind: "tool", name: "exec_command", agent: "Codex" });
  expect(foreignName("PreToolUse", "mcp__x__bash")).toBeUndefined();
  for (const odd of [undefined, null, 7, "", "  ", "constructor", "__proto__"]) {
    expect(foreignName(odd, odd)).toBeUndefined();
  }
});
