import { expect, test } from "vitest";
import { firstLine, startProgram } from "../../files/fixtures/programs.ts";
import { settled } from "../fixtures/indexed-world.ts";

test("twenty runs at once give twenty equal answers", async () => {
  const world = settled();
  const runner = "../../usage/fixtures/report-runner.mjs";
  const { rows, totals } = await world.report();
  const programs = Array.from({ length: 20 }, () => startProgram(runner, world.root, world.home));
  const answers = await Promise.all(programs.map(firstLine));
  expect(new Set(answers)).toEqual(new Set([JSON.stringify({ rows, totals })]));
});
