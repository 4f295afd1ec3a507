import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCall } from "../../src/cli/command-line/parse.ts";
import { command } from "../../src/cli/commands/ask.ts";
import { agentTask, type TaskContext } from "../../src/sdk/index.ts";

test("every word that an agent task says is one that hookline ask knows", async () => {
  const stand = join(import.meta.dirname, "../../src/sdk/fixtures/stand-in-agent.mjs");
  const task = agentTask("hi", {
    ...{ agent: "hookline", model: "small", tools: ["Read", "Bash(git diff *)"], maxTurns: 3, maxCostUsd: 0.5 },
    ...{ permissionMode: "plan", timeoutMs: 60_000, command: [process.execPath, stand] },
  });
  const context = { signal: new AbortController().signal, cwd: import.meta.dirname, env: process.env } as TaskContext;
  const { answer } = await task(undefined, context);
  const words = answer.slice("hi | ask ".length).split(/ (?=--|-$)/);
  const call = parseCall("ask", command, words);
  expect([call.words, call.flag("json"), call.texts("allowed-tools")]).toEqual([
    ["-"],
    true,
    ["Read", "Bash(git diff *)"],
  ]);
  const named = ["cwd", "agent", "model", "max-turns", "max-budget-usd", "permission-mode", "timeout"];
  expect(named.map((name) => call.text(name))).toEqual([
    ...[import.meta.dirname, "hookline", "small", "3", "0.5", "plan", "60"],
  ]);
});
