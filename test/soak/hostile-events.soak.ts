import { expect, test } from "vitest";
import { fireHostile } from "../hostile/fire-hostile.ts";

const count = Number(process.env["HOSTILE_RUNS"] ?? 1_000);

test(`${count} events at hostile hooks settle within 3 s of their limit, and nobody is left`, async () => {
  const report = await fireHostile(count, 8);
  console.log(JSON.stringify(report, null, 2));
  expect({ wrong: report.wrong, survivors: report.survivors }).toEqual({ wrong: [], survivors: [] });
  expect(report.maxOverrunMs, report.slowest).toBeLessThanOrEqual(3_000);
});
