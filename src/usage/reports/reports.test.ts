import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, answer, one, openWorld, prompt, reportOf, tokens, two, type Wire } from "../fixtures/world.ts";
import { zero } from "../fixtures/zero.ts";
import { reportNames } from "../internal.ts";

/** A call of its own at each of these times. */
function callsAt(...times: readonly string[]): Wire[] {
  return times.map((at, index) => answer({ id: `msg_${index}`, request: `req_${index}`, at }));
}

test("days, weeks and months; filters act before anything is added up", async () => {
  const lines = callsAt(
    "2026-09-30T10:00:00.000Z",
    "2026-10-01T10:00:00.000Z",
    "2026-10-04T10:00:00.000Z",
    "2026-10-05T10:00:00.000Z",
  );
  const days = await reportOf(lines, { since: "2026-10-01", until: "20261004" });
  expect(days.rows.map(({ date, calls }) => [date, calls])).toEqual([
    ["2026-10-01", 1],
    ["2026-10-04", 1],
  ]);
  expect([days.totals.calls, days.range]).toEqual([2, { since: "2026-10-01", until: "2026-10-04" }]);
  const now = Date.parse("2026-10-06T00:00:00Z");
  expect((await reportOf(lines, { since: "2d", now })).totals.calls).toBe(2);
  expect((await reportOf(lines, { since: "yesterday", until: "today", now })).totals.calls).toBe(1);
  const weeks = await reportOf(lines, { report: "weekly" });
  expect(weeks.rows.map(({ weekStart, weekEnd, calls }) => [weekStart, weekEnd, calls])).toEqual([
    ["2026-09-28", "2026-10-04", 3],
    ["2026-10-05", "2026-10-11", 1],
  ]);
  const sundays = await reportOf(lines, { report: "weekly", weekStart: "sunday" });
  expect(sundays.rows.map(({ weekStart, calls }) => [weekStart, calls])).toEqual([
    ["2026-09-27", 2],
    ["2026-10-04", 2],
  ]);
  const months = await reportOf(lines, { report: "monthly", order: "desc" });
  expect(months.rows.map(({ month, calls }) => [month, calls])).toEqual([
    ["2026-10", 3],
    ["2026-09", 1],
  ]);
});

test.each(["2026-13-01", "tomorrow-ish", "", "2026-02-30"])("%j is refused as a day", async (since) => {
  await expect(reportOf([], { since })).rejects.toMatchObject({ code: "usage/date" });
});

test("filters select by project, session, model and agent", async () => {
  const world = openWorld();
  const agent = "a0123456789abcdef";
  world.write(`${one}.jsonl`, [answer(), answer({ id: "msg_2", request: "req_2", model: "claude-sonnet-5-20260501" })]);
  world.write(`${one}/subagents/agent-${agent}.jsonl`, [answer({ id: "msg_3", request: "req_3", agent })]);
  world.write(`${one}/subagents/agent-${agent}.meta.json`, [{ agentType: "Explore", description: "look" }]);
  world.write(`../-other/${two}.jsonl`, [answer({ id: "msg_4", session: two, more: { cwd: "/home/dev/other" } })]);
  const calls = async (options: object) => (await world.report(options)).totals.calls;
  expect(await calls({})).toBe(4);
  expect(await calls({ project: "/home/dev/w" })).toBe(3);
  expect(await calls({ project: "other" })).toBe(1);
  expect(await calls({ project: "-other" })).toBe(1);
  expect(await calls({ project: "nowhere" })).toBe(0);
  expect(await calls({ session: two })).toBe(1);
  expect(await calls({ session: "1111" })).toBe(3);
  expect(await calls({ model: "claude-sonnet-5" })).toBe(1);
  expect(await calls({ agent: "main" })).toBe(3);
  expect(await calls({ agent })).toBe(1);
  expect(await calls({ agent: "Explore" })).toBe(1);
  await expect(world.report({ session: "9999" })).rejects.toMatchObject({ code: "usage/session" });
  await expect(world.report({ session: "11" })).rejects.toMatchObject({ code: "usage/session" });
});

test("days are those of the zone, through clock changes and zones of half and quarter hours", async () => {
  const day = async (at: string, timezone: string) => (await reportOf([answer({ at })], { timezone })).rows[0]?.date;
  expect(await day("2026-03-28T23:30:00.000Z", "Europe/Berlin")).toBe("2026-03-29");
  expect(await day("2026-03-29T21:59:59.999Z", "Europe/Berlin")).toBe("2026-03-29");
  expect(await day("2026-03-29T22:00:00.000Z", "Europe/Berlin")).toBe("2026-03-30");
  expect(await day("2026-10-25T22:59:59.999Z", "Europe/Berlin")).toBe("2026-10-25");
  expect(await day("2026-10-25T23:00:00.000Z", "Europe/Berlin")).toBe("2026-10-26");
  expect(await day("2026-10-05T18:29:59.999Z", "Asia/Kolkata")).toBe("2026-10-05");
  expect(await day("2026-10-05T18:30:00.000Z", "Asia/Kolkata")).toBe("2026-10-06");
  expect(await day("2026-10-05T18:14:59.999Z", "Asia/Kathmandu")).toBe("2026-10-05");
  expect(await day("2026-10-05T18:15:00.000Z", "Asia/Kathmandu")).toBe("2026-10-06");
  // Half an hour of summer time, and a day that begins at one in the morning.
  expect(await day("2026-10-03T15:29:59.999Z", "Australia/Lord_Howe")).toBe("2026-10-04");
  expect(await day("2026-09-06T03:59:59.999Z", "America/Santiago")).toBe("2026-09-05");
  expect(await day("2026-09-06T04:00:00.000Z", "America/Santiago")).toBe("2026-09-06");
  expect((await reportOf([], { timezone: "Asia/Kolkata" })).timezone).toBe("Asia/Kolkata");
  await expect(reportOf([], { timezone: "Mars/Base" })).rejects.toMatchObject({ code: "usage/timezone" });
});

test("a call across a clock change belongs to the day it began", async () => {
  const { rows } = await reportOf(
    [
      answer({ at: "2026-03-28T22:59:59.900Z", stop: null, usage: tokens(10, 1) }),
      answer({ at: "2026-03-29T01:00:00.100Z" }),
    ],
    { timezone: "Europe/Berlin" },
  );
  expect(rows.map(({ date, calls }) => [date, calls])).toEqual([["2026-03-28", 1]]);
});

test("a report is one object; without data it is an empty one", async () => {
  const world = openWorld();
  for (const report of reportNames) {
    expect(await world.report({ report, now: 0 })).toEqual({
      schema: `hookline.usage.${report}/1`,
      generatedAt: "1970-01-01T00:00:00.000Z",
      timezone: "UTC",
      range: { since: null, until: null },
      filters: { project: null, session: null, model: null, agent: null },
      mode: "auto",
      prices: { newest: null, sources: [] },
      sources: { roots: [], files: 0, bytes: 0, unreadableLines: 0, fallbackLines: 0, from: "scan" },
      rows: [],
      totals: zero,
      unpriced: [],
      warnings: [],
    });
  }
});

test("a session's row: main and agents apart, adding up, and every agent by name", async () => {
  const world = openWorld();
  const agent = "a0123456789abcdef";
  const path = world.write(`${one}.jsonl`, [
    prompt("Please fix the roof"),
    answer(),
    prompt("<command-name>/compact</command-name>"),
    prompt("And the door", { timestamp: "2026-10-05T11:00:00.000Z" }),
    answer({ id: "msg_2", request: "req_2", at: "2026-10-05T11:00:01.000Z" }),
  ]);
  world.write(`${one}/subagents/agent-${agent}.jsonl`, [
    answer({ id: "msg_3", request: "req_3", agent, at: "2026-10-05T10:30:00.000Z" }),
  ]);
  world.write(`${one}/subagents/agent-${agent}.meta.json`, [
    { agentType: "Explore", description: "look around", toolUseId: "toolu_1", parentAgentId: "a1", spawnDepth: 2 },
  ]);
  const { rows, totals, sources } = await world.report({ report: "session" });
  const amounts = (calls: number) => ({
    ...zero,
    calls,
    inputTokens: 10 * calls,
    outputTokens: 100 * calls,
    costMicroUsd: 2_550 * calls,
  });
  expect(rows).toEqual([
    {
      sessionId: one,
      project: "/home/dev/w",
      cwd: "/home/dev/w",
      title: "Please fix the roof",
      firstAt: "2026-10-05T10:00:00.000Z",
      lastAt: "2026-10-05T11:00:01.000Z",
      turns: 2,
      ...amounts(3),
      main: amounts(2),
      agents: amounts(1),
      byAgent: [
        {
          agentId: agent,
          agentType: "Explore",
          description: "look around",
          toolUseId: "toolu_1",
          parentAgentId: "a1",
          depth: 2,
          ...amounts(1),
        },
      ],
    },
  ]);
  expect(totals).toEqual(amounts(3));
  expect(sources).toMatchObject({ roots: [world.root], files: 2, from: "scan" });
  expect(path).toContain(one);
  const split = await world.report({ agents: true });
  expect(split.rows[0]?.agents).toEqual([
    { agentType: "main", ...amounts(2) },
    { agentType: "Explore", ...amounts(1) },
  ]);
});

test("Claude Code's own figures are shown next to ours, and never mixed in", async () => {
  const lines = [answer(), { type: "cost-state", sessionId: one, totalCostUsd: 0.004 }];
  const { rows, totals } = await reportOf(lines, { report: "session", reconcile: true });
  expect(rows[0]?.reconcile).toEqual({ clientMicroUsd: 4_000, statuslineMicroUsd: null, differenceMicroUsd: -1_450 });
  expect(totals.costMicroUsd).toBe(2_550);
  const plain = await reportOf(lines, { report: "session" });
  expect(plain.rows[0]).not.toHaveProperty("reconcile");
});

test("the difference to Claude Code's figure is left open for a part of a session", async () => {
  const lines = [
    answer({ at: "2026-10-01T10:00:00.000Z" }),
    answer({ id: "msg_2", request: "req_2", at: "2026-10-02T10:00:00.000Z" }),
    { type: "cost-state", sessionId: one, totalCostUsd: 0.0051 },
  ];
  const request = { report: "session", reconcile: true, timezone: "UTC" } as const;
  const differences = async (more: { since?: string; until?: string; model?: string }) =>
    (await reportOf(lines, { ...request, ...more })).rows.map(({ reconcile }) => reconcile);
  const client = { clientMicroUsd: 5_100, statuslineMicroUsd: null };
  expect(await differences({})).toEqual([{ ...client, differenceMicroUsd: 0 }]);
  expect(await differences({ since: "2026-10-01" })).toEqual([{ ...client, differenceMicroUsd: 0 }]);
  expect(await differences({ since: "2026-10-02" })).toEqual([{ ...client, differenceMicroUsd: null }]);
  expect(await differences({ until: "2026-10-01" })).toEqual([{ ...client, differenceMicroUsd: null }]);
});

test("the models report has the share, the speed and the times of each model", async () => {
  const { rows } = await reportOf(
    [
      answer({ usage: tokens(1_000_000, 0) }),
      answer({ id: "msg_2", request: "req_2", usage: { ...tokens(600_000, 0), speed: "fast" } }),
      answer({ id: "msg_3", request: "req_3", model: "claude-haiku-4-5-20251001", usage: tokens(1_000_000, 0) }),
    ],
    { report: "models" },
  );
  expect(rows.map(({ model, speed, share, costMicroUsd }) => [model, speed, share, costMicroUsd])).toEqual([
    ["claude-opus-5", "fast", 6 / 12, 6_000_000],
    ["claude-opus-5", "standard", 5 / 12, 5_000_000],
    ["claude-haiku-4-5-20251001", "standard", 1 / 12, 1_000_000],
  ]);
  expect(rows[0]).toMatchObject({ firstAt: "2026-10-05T10:00:00.000Z", lastAt: "2026-10-05T10:00:00.000Z" });
});

test("projects by the directory their sessions ran in; a map in the settings joins worktrees", async () => {
  const world = openWorld();
  const where = (cwd: string, given: Answer): Wire => answer({ ...given, request: given.id ?? null, more: { cwd } });
  world.write(`../-a/${one}.jsonl`, [where("/home/dev/a", { id: "msg_1" })]);
  world.write(`../-a-wt/${two}.jsonl`, [where("/home/dev/a-wt", { id: "msg_2", session: two })]);
  const { rows } = await world.report({ report: "projects" });
  expect(rows.map(({ project, folders, sessions, calls }) => [project, folders, sessions, calls])).toEqual([
    ["/home/dev/a", ["-a"], 1, 1],
    ["/home/dev/a-wt", ["-a-wt"], 1, 1],
  ]);
  const settings = join(world.home, "usage.json");
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify({ projects: { "/home/dev/a-wt": "a", "-a": "a" } }));
  const joined = await world.report({ report: "projects" });
  expect(joined.rows.map(({ project, folders, sessions }) => [project, folders, sessions])).toEqual([
    ["a", ["-a", "-a-wt"], 2],
  ]);
  writeFileSync(settings, "{");
  await expect(world.report()).rejects.toMatchObject({ code: "usage/settings" });
});
