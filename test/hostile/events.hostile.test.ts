import { expect, test } from "vitest";
import { sized } from "../size.ts";
import { fireHostile } from "./fire-hostile.ts";

const count = sized(200, 1_000);

test(`${count} events with hostile hooks settle within 3 s of their limit, and no process is left`, async () => {
  const report = await fireHostile(count, 8);
  console.info(`longest overrun ${Math.round(report.maxOverrunMs)} ms: ${report.slowest}`);
  expect({ wrong: report.wrong, survivors: report.survivors }).toEqual({ wrong: [], survivors: [] });
  expect(report.maxOverrunMs, report.slowest).toBeLessThanOrEqual(3_000);
});
