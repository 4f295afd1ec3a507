import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeSession } from "../fixtures/describe.ts";
import { recorded } from "../fixtures/transcript.ts";
import { sessionAt } from "../session.ts";
import { addTokens, noTokens } from "./model-call.ts";

const golden = join(recorded, "../transcripts-golden");

const sessions = readdirSync(recorded)
  .filter((name) => !name.startsWith("_") && !name.endsWith(".md"))
  .flatMap((fixture) =>
    readdirSync(join(recorded, fixture))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => ({ fixture, id: name.slice(0, -6) })),
  );

async function load(fixture: string, id: string) {
  const folder = join(recorded, fixture);
  const root = { path: recorded, origin: "client" } as const;
  return sessionAt({ id, root, project: fixture, folder, file: join(folder, `${id}.jsonl`) }).load();
}

describe("the recorded transcripts give what the golden files say", () => {
  test.each(sessions)("$fixture $id", async ({ fixture, id }) => {
    const words = describeSession(await load(fixture, id));
    const file = join(golden, `${fixture}.${id.slice(0, 8)}.txt`);
    if (process.env["UPDATE_GOLDEN"]) writeFileSync(file, words);
    expect(words).toBe(readFileSync(file, "utf8"));
  });
});

/** Rows of the table in the specification: files, lines, turns, calls (agents), tools (agents), errors, tokens. */
const table: Record<string, string> = {
  "a-plain": "1 23 | 1 | 7+0 | 7+0 (1) | 607/261/5000",
  "b-subagent": "4 32 | 1 | 4+5 | 4+2 (0) | 900/245/0",
  "c-resumed": "1 31 | 2 | 9+0 | 8+0 (1) | 807/295/5000",
  "d-forked": "2 61 | 2 3 | 10+0 | 8+0 (1) | 907/305/5000",
  "e-compact-interactive": "3 86 | 1 7 | 11+1 | 4+0 (0) | 1200/200/0",
  "e2-autocompact-headless": "1 24 | 1 | 6+0 | 5+0 (0) | 166100/126/0",
  "f-error-400": "1 9 | 1 | 1+0 | 1+0 (0) | 100/25/0",
  "f-error-401": "1 9 | 1 | 1+0 | 1+0 (0) | 100/25/0",
  "f-error-529": "1 9 | 1 | 1+0 | 1+0 (0) | 100/25/0",
  "g-large-and-image": "1 12 | 1 | 3+0 | 2+0 (0) | 300/63/0",
  "h-stop-hook-loop": "1 33 | 1 | 9+0 | 0+0 (0) | 900/63/0",
  "i-permission-hooks-interactive": "1 111 | 12 | 19+0 | 9+0 (3) | 1900/357/0",
  "l-worktree-hooks": "1 15 | 1 | 4+0 | 3+0 (0) | 400/84/0",
  "m-async-hook": "1 12 | 1 | 3+0 | 2+0 (0) | 300/56/0",
  "n-headless-with-hooks": "1 15 | 1 | 3+0 | 3+0 (1) | 300/120/0",
};

test.each(Object.entries(table))("the recorded session %s has the expected figures", async (fixture, row) => {
  const models = await Promise.all(
    sessions.filter((one) => one.fixture === fixture).map(({ id }) => load(fixture, id)),
  );
  const threads = models.flatMap(({ main, agents }) => [main, ...agents.map(({ thread }) => thread)]);
  const calls = new Map(models.flatMap((model) => model.calls.map((owned) => [owned.call.key, owned])));
  const tools = new Map(models.flatMap((model) => model.toolCalls.map((tool) => [tool.id, tool])));
  const sum = [...calls.values()].reduce((all, { call }) => addTokens(all, call.usage().tokens), noTokens);
  const split = (list: readonly { agentId?: string | undefined }[]) => {
    const inAgents = list.filter(({ agentId }) => agentId !== undefined).length;
    return `${list.length - inAgents}+${inAgents}`;
  };
  const lines = threads.reduce((count, { items }) => count + items.length, 0);
  const errors = [...tools.values()].filter(({ isError }) => isError).length;
  const turns = models.map(({ main }) => main.turns().turns.length).sort((a, b) => a - b);
  expect(
    [
      `${threads.length} ${lines}`,
      turns.join(" "),
      split([...calls.values()]),
      `${split([...tools.values()])} (${errors})`,
      `${sum.input}/${sum.output}/${sum.cacheRead}`,
    ].join(" | "),
  ).toBe(row);
  expect({ writes: sum.cacheWrite5m + sum.cacheWrite1h, findings: models.flatMap(({ findings }) => findings) }).toEqual(
    {
      writes: 0,
      findings: [],
    },
  );
});
