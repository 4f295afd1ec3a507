import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCall } from "../../src/cli/command-line/parse.ts";
import { command } from "../../src/cli/commands/ask.ts";
import { agentTask, type TaskContext } from "../../src/sdk/index.ts";

test("hookline ask accepts every argument of an agent task", async () => {
  const stand = join(import.meta.dirname, "../../src/sdk/fixtures/stand-in-agent.mjs");
  const task = agentTask("hi", {
    ...{ agent: "hookline", model: "small", tools: ["Read", "Bash(git diff *)"], maxTurns: 3, maxCostUsd: 0.5 },
    ...{ permissionMode: "plan", timeoutMs: 60_000, command: [process.execPath, stand] },
  });
  const context = { signal: new AbortController().signal, cwd: import.meta.dirname, env: process.env } as TaskContext;
  const { answer } = await task(undefined, context);
  const args = answer.slice("hi | ask ".length).split(/ (?=--|-$)/);
  const call = parseCall("ask", command, args);
  expect([call.operands, call.flag("json"), call.texts("allowed-tools")]).toEqual([
    ["-"],
    true,
    ["Read", "Bash(git diff *)"],
  ]);
  const named = ["cwd", "agent", "model", "max-turns", "max-budget-usd", "permission-mode", "timeout"];
  expect(named.map((name) => call.text(name))).toEqual([
    ...[import.meta.dirname, "hookline", "small", "3", "0.5", "plan", "60"],
  ]);
});
