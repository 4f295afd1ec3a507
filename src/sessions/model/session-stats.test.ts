import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  answer,
  attachment,
  prompt,
  recorded,
  result,
  sidechain,
  system,
  toolUse,
  write,
} from "../fixtures/transcript.ts";
import { openSession } from "../session.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-stats-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("stats gives the counts, tokens, cost and times of a recorded session", async () => {
  const id = "501a101c-7ecf-4bd9-a106-13be7d54c3a1";
  const session = await openSession(join(recorded, "b-subagent", `${id}.jsonl`));
  const { speed, ...stats } = await session.stats({ price: (call) => call.usage().tokens.input * 5 });
  const none = { thinking: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0 };
  expect(stats).toEqual({
    entries: 32,
    unreadable: 0,
    prompts: 1,
    turns: 1,
    calls: 9,
    apiErrors: 0,
    agents: 3,
    tools: {
      Agent: { calls: 3, errors: 0, totalMs: 11_460 },
      Bash: { calls: 3, errors: 0, totalMs: 8746 },
    },
    tokens: { main: { ...none, input: 400, output: 155 }, agents: { ...none, input: 500, output: 90 } },
    costMicroUsd: { main: 2000, agents: 2500 },
    firstAt: "2026-11-15T06:45:18.093Z",
    lastAt: "2026-11-15T06:45:31.281Z",
    wallMs: 13_188,
    busyMs: 11_420,
    waitingMs: 0,
    models: ["claude-haiku-4-5-20251001", "claude-opus-4-8"],
    filesTouched: [],
    compactions: 0,
    droppedTokens: 0,
  });
  expect(speed.length).toBe(9);
});

test("stats gives the files touched, errors by tool, compactions and dropped tokens", async () => {
  const a = await openSession(join(recorded, "a-plain", readdirSync(join(recorded, "a-plain"))[0] ?? ""));
  const stats = await a.stats();
  expect(stats.filesTouched).toEqual(["/home/dev/project/a.txt", "/home/dev/project/new.txt"]);
  expect(stats.tools["Bash"]).toMatchObject({ calls: 2, errors: 1 });
  expect(stats.costMicroUsd).toBeUndefined();
  const e2 = await openSession(
    join(recorded, "e2-autocompact-headless", readdirSync(join(recorded, "e2-autocompact-headless"))[0] ?? ""),
  );
  expect(await e2.stats()).toMatchObject({ compactions: 1, droppedTokens: 98_435 });
});

test("time waiting for the user is what Claude Code's own figure for the turn leaves out", async () => {
  const i = await openSession(
    join(recorded, "i-permission-hooks-interactive", "c8564950-4e2e-476c-ac60-0c37d336827e.jsonl"),
  );
  // One hook answered "ask" (lines 35 to 41): 48:36.183 to 48:42.512, of which Claude Code counts 821 ms.
  expect((await i.stats()).waitingMs).toBe(6329 - 821);
});

test("iterations of other models count, copies of another session's agents do not", async () => {
  const p = prompt(null, "go");
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    iterations: [
      { type: "message", input_tokens: 10, output_tokens: 1 },
      { type: "advisor_message", model: "m", input_tokens: 7, output_tokens: 2 },
    ],
  };
  const use = answer(p, [toolUse("t1", "Agent", {})], { stop: "tool_use", usage });
  const done = result(use, "t1", "x", { toolUseResult: { agentId: "a1" } });
  write(join(folder, "s0.jsonl"), [p]);
  write(join(folder, "s0/subagents/agent-a1.jsonl"), [sidechain("a1", answer(null, "x"))]);
  write(join(folder, "s0/subagents/agent-a1.meta.json"), [{ toolUseId: "t1" }]);
  const session = await openSession(write(join(folder, "s1.jsonl"), [p, use, done]));
  expect(await session.stats()).toMatchObject({
    agents: 0,
    calls: 1,
    tokens: { main: { input: 17, output: 3 }, agents: { input: 0 } },
  });
});

test("the speed of an answer is computed from its own times or from what an older version wrote", async () => {
  const at = (second: number) => ({ timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z` });
  const usage = { input_tokens: 1, output_tokens: 100 };
  const p = prompt(null, "go", at(0));
  const first = answer(p, "a", { id: "m1", usage }, at(2));
  const second = answer(first, "b", { id: "m1", usage }, at(4));
  const hook = attachment(second, { type: "hook_success" }, at(6));
  const older = answer(hook, "c", { id: "m2", usage }, { ...at(8), durationMs: 500 });
  const backwards = answer(older, "d", { id: "m3", usage }, at(1));
  const session = await openSession(
    write(join(folder, "s1.jsonl"), [
      p,
      first,
      second,
      hook,
      older,
      backwards,
      system(backwards, "turn_duration", { durationMs: 9 }),
    ]),
  );
  expect((await session.stats({ price: ({ key }) => (key === "m1" ? 2_000_000 : undefined) })).speed).toEqual([
    { key: "m1", outputPerSecond: 25, outputPerDollar: 50 },
    { key: "m2", outputPerSecond: 200 },
    { key: "m3" },
  ]);
});
