import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Outcome } from "../../src/protocol/internal.ts";
import { bash, command, on, openIn } from "./world.ts";

test.each([1, 3])("at most %i hook processes of an event run at a time", async (concurrency) => {
  const hooks = Array.from({ length: 7 }, (_, n) => `echo + ${n} >> log; sleep 0.05; echo - ${n} >> log`);
  const { engine, project } = await openIn(on("PreToolUse", ...hooks), { concurrency });
  await engine.fire("PreToolUse", bash);
  const lines = readFileSync(join(project, "log"), "utf8").trim().split("\n");
  expect(lines).toHaveLength(14);
  let running = 0;
  const most = Math.max(...lines.map((line) => (line.startsWith("+") ? ++running : --running)));
  expect(most).toBeLessThanOrEqual(concurrency);
  // Side by side, who writes first is chance; one at a time, configured order shows.
  if (concurrency > 1) return;
  const started = lines.filter((line) => line.startsWith("+"));
  expect(started).toEqual(["+ 0", "+ 1", "+ 2", "+ 3", "+ 4", "+ 5", "+ 6"]);
});

test("a queued hook's clock starts with it, and callbacks take no place", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const held = (n: number) => `touch started-${n}; until [ -e go-${n} ]; do sleep 0.02; done`;
  const hooks = Array.from({ length: 4 }, (_, n) => command(held(n), { timeout: 60 }));
  const { engine, project } = await openIn(on("PreToolUse", ...hooks), { concurrency: 1 });
  const order: string[] = [];
  engine.on("PreToolUse", () => {
    order.push("callback");
    return undefined;
  });
  const fired = engine.fire("PreToolUse", bash);
  for (const n of hooks.keys()) {
    await expect.poll(() => existsSync(join(project, `started-${n}`))).toBe(true);
    await vi.advanceTimersByTimeAsync(40_000);
    writeFileSync(join(project, `go-${n}`), "");
  }
  const { runs } = await fired;
  order.push("outcome");
  expect(order).toEqual(["callback", "outcome"]);
  expect(runs.slice(0, 4).map(({ ended }) => ended)).toEqual(Array(4).fill({ by: "exit", code: 0 }));
});

test("equal answers give an equal outcome, in whatever order hooks finish", async () => {
  const says = (answer: object) => JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...answer } });
  const answers = [
    { permissionDecision: "ask", permissionDecisionReason: "first" },
    { permissionDecision: "ask", permissionDecisionReason: "second", updatedInput: { command: "a" } },
    { permissionDecision: "ask", updatedInput: { command: "b" }, additionalContext: "one" },
    { permissionDecision: "allow", updatedInput: { command: "c" }, additionalContext: "two" },
  ];
  const hooks = answers.map((answer, n) => `sleep 0.$(cat delay-${n}); echo '${says(answer)}'`);
  const { engine, project } = await openIn(on("PreToolUse", ...hooks));
  const outcomes: Outcome[] = [];
  for (const delays of ["0123", "3210", "1302", "2031"]) {
    for (const [n, delay] of [...delays].entries()) writeFileSync(join(project, `delay-${n}`), `0${delay}`);
    outcomes.push(await engine.fire("PreToolUse", bash));
  }
  const [first, ...others] = outcomes.map(timeless);
  expect(first).toMatchObject({
    decision: "ask",
    reason: "first",
    updatedInput: { command: "c" },
    additionalContext: ["one", "two"],
  });
  for (const other of others) expect(other).toEqual(first);
});

function timeless(outcome: Outcome): Outcome {
  return { ...outcome, runs: outcome.runs.map((run) => ({ ...run, startedAt: 0, durationMs: 0 })) };
}

test("SessionEnd has one budget for all its hooks, also for those that queue", async () => {
  const { engine } = await openIn(on("SessionEnd", "sleep 9; : 1", "sleep 9; : 2", "sleep 9; : 3"), {
    concurrency: 1,
    env: { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "100" },
  });
  const { runs } = await engine.fire("SessionEnd", { reason: "other" });
  expect(runs.map(({ ended }) => ended.by)).toEqual(["timeout", "timeout", "timeout"]);
  const limits = runs.map(({ ended }) => (ended.by === "timeout" ? ended.afterMs : 0));
  expect(limits.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(100 + 3);
});

test("a copy with a short timeout takes no time from a SessionEnd hook without one", async () => {
  const hooks = [command("sleep 9"), command("sleep 9", { timeout: 1 })];
  const env = { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "1600" };
  const { engine } = await openIn(on("SessionEnd", ...hooks), { env });
  const { runs } = await engine.fire("SessionEnd", { reason: "other" });
  // The default without the variable is 1500 ms.
  expect(runs.map(({ ended }) => ended.by === "timeout" && ended.afterMs > 1_500)).toEqual([true]);
});

test("with rewrittenFrom, hooks that match both inputs appear neither in runs nor in skipped", async () => {
  const rules = ["Bash(ls *)", "Bash(ls new)", "Bash(ls old)"];
  const hooks = [command("true all"), ...rules.map((rule) => command(`true ${rule.slice(5, -1)}`, { if: rule }))];
  const { engine } = await openIn(on("PreToolUse", ...hooks));
  const payload = { tool_name: "Bash", tool_input: { command: "ls new" } };
  const { runs, skipped } = await engine.fire("PreToolUse", payload, { rewrittenFrom: { command: "ls old" } });
  expect(runs.map(({ hook }) => hook.name)).toEqual(["true ls new"]);
  expect(skipped.map(({ hook, why }) => [hook.name, why])).toEqual([["true ls old", "if"]]);
});
