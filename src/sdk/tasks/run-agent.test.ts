import { join } from "node:path";
import { expect, test } from "vitest";
import { createApp } from "../index.ts";
import { testClient } from "../testing/index.ts";
import { agentTask } from "./task.ts";

const command = [process.execPath, join(import.meta.dirname, "../fixtures/stand-in-agent.mjs")] as const;

/** Against a program that replaces `hookline ask`; `hookline ask` itself is tested with the runner. */
async function asked(prompt: string, options: Parameters<typeof agentTask>[1] = {}, timeoutMs = 10_000) {
  const app = createApp();
  const task = app.task(
    "agent",
    agentTask((what: string) => what, { command, ...options }),
    { timeoutMs },
  );
  let seen: unknown;
  app.onPrompt(async (_event, { tasks }) => {
    await tasks.add(task, prompt);
    const [error] = await tasks.popErrors();
    seen = error?.error ?? (await tasks.pop(task))?.value;
  });
  await testClient(app, { env: process.env }).prompt("go", { cwd: import.meta.dirname });
  return seen;
}

test("an agent task runs one session with model, tools, turn and cost limits, and gives its answer", async () => {
  const options = {
    model: "small",
    tools: ["Read", "Bash(git diff *)"],
    maxTurns: 3,
    maxCostUsd: 0.25,
    timeoutMs: 1_500,
  };
  expect(await asked("Review --this", options)).toEqual({
    answer: `Review --this | ask - --json --cwd=${import.meta.dirname} --model=small --max-turns=3 --max-budget-usd=0.25 --timeout=2 --allowed-tools=Read --allowed-tools=Bash(git diff *)`,
    sessionId: "s1",
    turns: 2,
    costUsd: 0.5,
  });
});

test("an agent that fails, hits a limit or hangs is a failed task with a message", async () => {
  expect(await asked("crash")).toEqual({ code: "failed", message: "the agent did not answer: no such model" });
  expect(await asked("limit")).toEqual({ code: "failed", message: "the agent did not answer: error_max" });
  expect(await asked("hang", {}, 300)).toEqual({ code: "timed-out", message: "timed out after 300 ms" });
});

test("of an agent that prints without end, only the end of the output is kept", async () => {
  const flood = 'process.stderr.write("x".repeat(2 ** 20) + "\\nthe last words\\n"); process.exitCode = 1;';
  const failed = await asked("go", { command: [process.execPath, "-e", flood] });
  expect(failed).toEqual({ code: "failed", message: "the agent did not answer: the last words" });
});
