import { expect, test } from "vitest";
import { answer, reportOf, tokens, type Wire } from "../fixtures/world.ts";

/** A call of 100 tokens at each of these hours of one day. */
function callsAt(...times: readonly string[]): Wire[] {
  return times.map((at, index) =>
    answer({ id: `msg_${index}`, request: `req_${index}`, at: `2026-10-05T${at}.000Z`, usage: tokens(60, 40) }),
  );
}

const now = (time: string) => Date.parse(`2026-10-05T${time}Z`);

test("a block is five hours from its first call's hour; after its end, or five hours of silence, a new one begins", async () => {
  const { rows } = await reportOf(callsAt("01:20:00", "05:59:59", "06:00:00", "08:00:00", "13:30:00"), {
    report: "blocks",
    now: now("23:00:00"),
  });
  expect(
    rows.map(({ startAt, endAt, lastAt, calls, gap, active }) => [startAt, endAt, lastAt, calls, gap, active]),
  ).toEqual([
    ["2026-10-05T01:00:00.000Z", "2026-10-05T06:00:00.000Z", "2026-10-05T05:59:59.000Z", 2, false, false],
    ["2026-10-05T06:00:00.000Z", "2026-10-05T11:00:00.000Z", "2026-10-05T08:00:00.000Z", 2, false, false],
    // More than five hours without a call: from five hours after the last call to the next one.
    ["2026-10-05T13:00:00.000Z", "2026-10-05T13:30:00.000Z", null, 0, true, false],
    ["2026-10-05T13:00:00.000Z", "2026-10-05T18:00:00.000Z", "2026-10-05T13:30:00.000Z", 1, false, false],
  ]);
});

test("the active block has a rate and a projection to its end", async () => {
  const { rows } = await reportOf(callsAt("10:00:00", "10:30:00", "11:00:00"), {
    report: "blocks",
    now: now("12:00:00"),
  });
  expect(rows).toMatchObject([
    {
      active: true,
      burn: { tokensPerMinute: 5, costMicroUsdPerHour: 3_900 },
      projection: { tokens: 300 + 5 * 180, costMicroUsd: 3_900 + 3 * 3_900, minutesLeft: 180 },
      limit: null,
      resetAt: null,
    },
  ]);
  const later = await reportOf(callsAt("10:00:00"), { report: "blocks", now: now("15:00:00") });
  expect(later.rows).toMatchObject([{ active: false, burn: null, projection: null }]);
});

test("the token limit is the given one or the fullest block before", async () => {
  const lines = callsAt("01:00:00", "01:10:00", "10:00:00");
  const shares = async (tokenLimit: number | "max") => {
    const { rows } = await reportOf(lines, { report: "blocks", tokenLimit, now: now("11:00:00") });
    return rows.filter(({ gap }) => !gap).map(({ limit }) => limit);
  };
  expect(await shares(400)).toEqual([
    { tokens: 400, share: 0.5 },
    { tokens: 400, share: 0.25 },
  ]);
  expect(await shares("max")).toEqual([
    { tokens: 200, share: 1 },
    { tokens: 200, share: 0.5 },
  ]);
});

test("a reset time in a limit message is reported", async () => {
  const reset = now("14:00:00") / 1000;
  const { rows } = await reportOf(
    [
      ...callsAt("10:00:00"),
      answer({
        id: "msg_limit",
        model: "<synthetic>",
        at: "2026-10-05T10:05:00.000Z",
        content: [{ type: "text", text: `Claude AI usage limit reached|${reset}` }],
        more: { isApiErrorMessage: true },
      }),
    ],
    { report: "blocks", now: now("11:00:00") },
  );
  expect(rows).toMatchObject([{ resetAt: "2026-10-05T14:00:00.000Z", apiErrors: 1, calls: 1 }]);
});
