import { mkdtempSync, readdirSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostilePrograms } from "../../src/exec/fixtures/hostile.ts";
import { runHostile } from "../../src/exec/fixtures/run-hostile.ts";

const count = Number(process.env["HOSTILE_RUNS"] ?? 1_000);

test(`${count} hostile processes: each told right, settled within 3 s of its limit, and nobody left`, async () => {
  const cwd = mkdtempSync(join(tmpdir(), "hostile-"));
  const marker = `60.${process.pid}`;
  const programs = hostilePrograms(cwd, `sleep ${marker}`);
  const descriptors = readdirSync("/proc/self/fd").length;
  const rssBefore = process.memoryUsage.rss();
  const parallel = Math.max(8, 2 * availableParallelism());
  const report = await runHostile(programs, { count, parallel, timeoutMs: 500, graceMs: 1_500, cwd, marker });
  const grewMiB = Math.round((process.memoryUsage.rss() - rssBefore) / 2 ** 20);
  const left = readdirSync("/proc/self/fd").length - descriptors;
  console.log(
    JSON.stringify(
      { ...report, programs: programs.length, parallel, rssGrewMiB: grewMiB, descriptorsLeft: left },
      null,
      2,
    ),
  );
  expect({ wrong: report.wrong, leaks: report.leaks, survivors: report.survivors, left }).toEqual({
    wrong: [],
    leaks: [],
    survivors: [],
    left: 0,
  });
  expect(report.maxOverrunMs, report.slowest).toBeLessThanOrEqual(3_000);
});
