import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, copyOf, prompt, reportOf, tokens, type Wire } from "./fixtures/world.ts";

/** Which records count, and which of several that tell of one call. */

const agent = "a0123456789abcdef";

test("answers with usage count, and their copies in progress lines; nothing else does, ever", async () => {
  const usage = tokens(7_000_000, 7_000_000);
  const { totals, warnings } = await reportOf([
    answer(),
    copyOf(answer({ id: "msg_2", request: "req_2" }), agent),
    answer({ id: "msg_3", more: { message: { id: "msg_3", role: "assistant", model: "claude-opus-5", content: [] } } }),
    prompt("x", { toolUseResult: { totalTokens: 7_000_000, usage } }),
    prompt("<task-notification><usage>total_tokens: 7000000</usage></task-notification>"),
    { type: "result", subtype: "success", usage, total_cost_usd: 7, modelUsage: { "claude-opus-5": usage } },
    { type: "system", subtype: "compact_boundary", compactMetadata: { preTokens: 7_000_000, usage } },
    { type: "cost-state", totalCostUsd: 7, usage },
    { type: "progress", data: { type: "hook_progress", message: "usage" }, usage },
    { type: "user", message: { role: "user", content: [], usage } },
    { type: "assistant", usage },
    { message: { usage } },
  ]);
  expect(totals).toMatchObject({ calls: 2, inputTokens: 20, outputTokens: 200, costMicroUsd: 5_100 });
  expect(warnings).toEqual([]);
});

test("the key is message.id, else the request, else the line's uuid; with message.id the request does not count", async () => {
  expect((await reportOf([answer(), answer({ request: "req_2" }), answer({ request: null })])).totals.calls).toBe(1);
  for (const id of ["", null]) {
    const lines = [answer({ id }), answer({ id }), answer({ id, request: "req_2" })];
    expect((await reportOf(lines)).totals.calls).toBe(2);
  }
  const bare = { id: null, request: null };
  const lines = [answer({ ...bare, uuid: "u1" }), answer({ ...bare, uuid: "u1" }), answer({ ...bare, uuid: "u2" })];
  expect((await reportOf(lines)).totals.calls).toBe(2);
  // Nothing at all names these: each is a call of its own.
  const nameless = answer({ ...bare, uuid: null });
  expect((await reportOf([nameless, nameless])).totals.calls).toBe(2);
});

test("a stop reason wins, then output, then the sum of all classes, in whatever order lines were written", async () => {
  const records = [
    answer({ usage: tokens(10, 3, 40), stop: null }),
    answer({ usage: tokens(10, 900, 40), stop: null }),
    answer({ usage: tokens(0, 0, 0) }),
    answer({ usage: tokens(10, 100, 40) }),
    answer({ usage: { ...tokens(10, 100, 40), server_tool_use: { web_search_requests: 1 } } }),
  ];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(records, { minLength: 5 }), async (lines) => {
      const { totals } = await reportOf(lines);
      expect(totals).toMatchObject({
        calls: 1,
        inputTokens: 10,
        outputTokens: 100,
        cacheReadTokens: 40,
        webSearches: 1,
      });
    }),
    { numRuns: 20 },
  );
});

test("lines of a call that disagree are reported; the chosen one is used whole", async () => {
  const { totals, warnings } = await reportOf([
    answer({ usage: tokens(500, 3), stop: null }),
    answer({ usage: tokens(10, 100) }),
  ]);
  expect(totals).toMatchObject({ calls: 1, inputTokens: 10, outputTokens: 100 });
  expect(warnings).toMatchObject([{ code: "usage-conflict", count: 1 }]);
});

test("an endpoint that gives every answer one id: other counts under other requests are other calls", async () => {
  const { totals, warnings } = await reportOf([
    answer({ request: "req_1" }),
    answer({ request: "req_2", usage: tokens(20, 100) }),
    answer({ request: "req_3", usage: tokens(30, 100) }),
  ]);
  expect(totals).toMatchObject({ calls: 3, inputTokens: 60, outputTokens: 300 });
  expect(warnings).toEqual([]);
});

test("a call over midnight belongs to the day it began", async () => {
  const { rows } = await reportOf([
    answer({ at: "2026-10-05T23:59:59.900Z", stop: null, usage: tokens(10, 1) }),
    answer({ at: "2026-10-06T00:00:00.100Z" }),
  ]);
  expect(rows.map(({ date, calls, costMicroUsd }) => [date, calls, costMicroUsd])).toEqual([["2026-10-05", 1, 2_550]]);
});

test("an answer that Claude Code made up is not a call; its API errors are counted apart", async () => {
  const synthetic = (more: Wire) => {
    const line = answer({ model: "<synthetic>", id: `msg_${JSON.stringify(more).length}`, usage: tokens(0, 0), more });
    return line;
  };
  const { totals } = await reportOf([
    synthetic({}),
    synthetic({ isApiErrorMessage: true, error: "server_error" }),
    answer(),
  ]);
  expect(totals).toMatchObject({ calls: 1, apiErrors: 1, outputTokens: 100 });
});

test("an answer that was cut off counts with its largest output, as an open call", async () => {
  const { totals, warnings } = await reportOf([
    answer({ stop: null, usage: tokens(10, 2) }),
    answer({ stop: null, usage: tokens(10, 8) }),
    answer({ stop: null, usage: tokens(10, 1) }),
  ]);
  expect(totals).toMatchObject({ calls: 1, openCalls: 1, outputTokens: 8 });
  expect(warnings).toMatchObject([{ code: "open-calls", count: 1 }]);
});

test("six classes; a cache write without a lifetime is one of five minutes, and marked", async () => {
  const usage = {
    ...tokens(1, 50),
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 100,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 60 },
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 9 },
    output_tokens_details: { thinking_tokens: 20 },
  };
  const { totals, warnings } = await reportOf([answer({ usage })]);
  expect(totals).toEqual({
    calls: 1,
    openCalls: 0,
    apiErrors: 0,
    inputTokens: 1,
    outputTokens: 50,
    thinkingTokens: 20,
    cacheWrite5mTokens: 40,
    cacheWrite1hTokens: 60,
    cacheReadTokens: 4,
    webSearches: 2,
    // 5 + 1,250 + 250 + 600 + 2 tokens' worth of pico-dollars, and two searches.
    costMicroUsd: 22_107,
    complete: true,
  });
  expect(warnings).toMatchObject([{ code: "assumed-5m", count: 10 }]);
  const old = await reportOf([answer({ usage: { ...tokens(1, 1), cache_creation_input_tokens: 100 } })]);
  expect(old.totals).toMatchObject({ cacheWrite5mTokens: 100, cacheWrite1hTokens: 0 });
  expect(old.warnings).toMatchObject([{ code: "assumed-5m", count: 100 }]);
});

test("message iterations are in the counts; others are parts of the call, at their own model", async () => {
  const iteration = (type: string, more: Wire = {}) => ({ type, ...tokens(10, 100), ...more });
  for (const iterations of [null, [], [iteration("message")], undefined]) {
    const { totals } = await reportOf([answer({ usage: { iterations } })]);
    expect(totals).toMatchObject({ calls: 1, inputTokens: 10, outputTokens: 100, costMicroUsd: 2_550 });
  }
  const { totals, rows } = await reportOf(
    [
      answer({
        model: "claude-sonnet-5",
        usage: {
          iterations: [
            iteration("message"),
            iteration("advisor_message", { model: "claude-opus-5" }),
            iteration("compaction"),
            iteration("something_later", { model: "claude-opus-4-1" }),
          ],
        },
      }),
    ],
    { breakdown: true },
  );
  expect(totals).toMatchObject({ calls: 1, inputTokens: 40, outputTokens: 400 });
  // Sonnet 5 twice: 1,020 each; Opus 5: 2,550; Opus 4.1: 7,650.
  expect(totals.costMicroUsd).toBe(2 * 1_020 + 2_550 + 7_650);
  expect(rows[0]?.models?.map(({ model, calls, costMicroUsd }) => [model, calls, costMicroUsd])).toEqual([
    ["claude-opus-4-1", 0, 7_650],
    ["claude-opus-5", 0, 2_550],
    ["claude-sonnet-5", 1, 2_040],
  ]);
});

test("an invalid count is 0, reported, and the total is not complete; an invalid time is replaced by that of the line before", async () => {
  for (const bad of [-1, 1.5, 2 ** 53 + 2, "12", null, undefined, 1e300, true, [1]]) {
    const { totals, warnings } = await reportOf([answer({ usage: { output_tokens: bad } })]);
    expect(totals, String(bad)).toMatchObject({ calls: 1, inputTokens: 10, outputTokens: 0, complete: false });
    expect(warnings, String(bad)).toMatchObject([{ code: "odd-count", count: 1 }]);
  }
  const part = { type: "advisor_message", inputTokens: 9_000_000 };
  const message = { type: "message", ...tokens(1, 1) };
  for (const [count, ...iterations] of [
    [2, { type: "message" }, part],
    [2, { type: "message" }, message],
    [1, message, { ...message, input_tokens: "x" }],
    [1, message, tokens(9_000_000, 1)],
    [1, message, "message"],
  ] as const) {
    const { totals, warnings } = await reportOf([answer({ usage: { iterations } })]);
    expect(totals).toMatchObject({ calls: 1, costMicroUsd: 2_550, complete: false });
    expect(warnings).toMatchObject([{ code: "odd-count", count }]);
  }
  for (const at of [null, "yesterday", "2026-13-45T00:00:00Z"]) {
    const before = { type: "mode", timestamp: "2026-10-01T00:00:00.000Z" };
    expect((await reportOf([before, answer({ at })])).rows.map(({ date }) => date)).toEqual(["2026-10-01"]);
    const alone = await reportOf([answer({ at }), { type: "mode", timestamp: "2026-10-01T00:00:00.000Z" }]);
    expect(alone.rows.map(({ date }) => date)).toEqual(["undated"]);
    expect(alone.totals).toMatchObject({ calls: 1, costMicroUsd: 2_550 });
    expect(alone.warnings).toMatchObject([{ code: "undated-calls", count: 1 }]);
  }
});

test("no call is lost to a null, a blank, an odd version or an unknown field", async () => {
  const odd: Wire[] = [
    { version: null },
    { version: "2.1 beta (x)" },
    { cwd: null, gitBranch: null, sessionId: null },
    { somethingNew: { usage: tokens(9, 9), id: null } },
    { requestId: null },
    { isSidechain: null },
    { attributionSkill: "   " },
  ];
  const lines = odd.map((more, index) => answer({ id: `msg_${index}`, request: `req_${index}`, more }));
  const { totals } = await reportOf(lines);
  expect(totals).toMatchObject({ calls: odd.length, costMicroUsd: odd.length * 2_550 });
});

test("two calls with equal usage are two; the lines of one are one, whatever is between them", async () => {
  const { totals } = await reportOf([
    answer({ id: "msg_1", request: "req_1" }),
    answer({ id: "msg_2", request: "req_2" }),
    prompt("between"),
    answer({ id: "msg_1", request: "req_1" }),
  ]);
  expect(totals).toMatchObject({ calls: 2, costMicroUsd: 5_100 });
});
