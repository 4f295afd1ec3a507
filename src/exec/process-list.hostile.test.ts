import { mkdtempSync, readdirSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sized } from "../../test/size.ts";
import { hostilePrograms } from "./fixtures/hostile.ts";
import { runHostile } from "./fixtures/run-hostile.ts";

const count = sized(200, 1_000);

test(`${count} hostile processes are reported correctly, settle within 3 s of their limit, and leave no process`, async () => {
  const cwd = mkdtempSync(join(tmpdir(), "hostile-"));
  const marker = `60.${process.pid}`;
  const descriptors = readdirSync("/proc/self/fd").length;
  const parallel = Math.max(8, 2 * availableParallelism());
  const plan = { count, parallel, timeoutMs: 500, graceMs: 1_500, cwd, marker };
  const { maxOverrunMs, slowest, ...report } = await runHostile(hostilePrograms(cwd, `sleep ${marker}`), plan);
  console.info(`longest overrun ${Math.round(maxOverrunMs)} ms: ${slowest}`);
  expect(report).toEqual({ runs: count, wrong: [], leaks: [], survivors: [] });
  expect(readdirSync("/proc/self/fd").length).toBe(descriptors);
  expect(maxOverrunMs, slowest).toBeLessThanOrEqual(3_000);
});
