import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { corpus } from "../fixtures/corpus.ts";
import { zero } from "../fixtures/zero.ts";
import { type Amounts, type ReportName, reportNames, usageReport } from "../internal.ts";

const numbers = Object.keys(zero).filter((name) => name !== "complete") as (keyof Amounts)[];

test("every report adds up to the generator's truth, to the last micro-dollar", async () => {
  const out = mkdtempSync(join(tmpdir(), "hookline-corpus-"));
  const truth = (await corpus()).writeCorpus({ mb: 6, seed: 11, out });
  const options = { roots: [out], env: { HOOKLINE_HOME: join(out, "home") }, timezone: "UTC", index: false } as const;
  const reports = new Map<ReportName, readonly Amounts[]>();
  for (const report of reportNames) {
    const { rows, totals } = await usageReport({ ...options, report });
    expect(totals, report).toEqual(truth.totals);
    reports.set(report, rows);
  }
  for (const [report, rows] of reports) {
    for (const name of numbers) {
      // A made-up answer of an API error belongs to no model.
      if (report === "models" && name === "apiErrors") continue;
      const all = rows.reduce((sum, row) => sum + Number(row[name]), 0);
      expect([report, name, all]).toEqual([report, name, truth.totals[name]]);
    }
  }
  const days = (await usageReport(options)).rows.map(({ date, ...amounts }) => [date, amounts]);
  expect(Object.fromEntries(days)).toEqual(truth.days);
  const { rows: sessions } = await usageReport({ ...options, report: "session" });
  const amountsOf = (row: Amounts) =>
    Object.fromEntries(Object.keys(zero).map((name) => [name, row[name as keyof Amounts]]));
  expect(Object.fromEntries(sessions.map((row) => [row.sessionId, amountsOf(row)]))).toEqual(truth.sessions);
  const agents = sessions.flatMap(({ byAgent }) => byAgent.map((row) => [row.agentId, amountsOf(row)] as const));
  expect(Object.fromEntries(agents)).toEqual(truth.agents);
  const { unpriced } = await usageReport(options);
  expect(unpriced.map(({ model }) => model)).toEqual(Object.keys(truth.unpriced));
});

test("the same size and seed give the same bytes", async () => {
  const { writeCorpus } = await corpus();
  const [a, b] = [1, 2].map(() =>
    writeCorpus({ mb: 1, seed: 5, out: mkdtempSync(join(tmpdir(), "hookline-corpus-")) }),
  );
  expect(a).toEqual(b);
  expect(writeCorpus({ mb: 1, seed: 6, out: mkdtempSync(join(tmpdir(), "hookline-corpus-")) })).not.toEqual(a);
});
