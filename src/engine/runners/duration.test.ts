import { expect, test } from "vitest";
import { duration } from "./run-limits.ts";

test("durations are shown in a readable unit", () => {
  expect([duration(250), duration(1_500), duration(600_000)]).toEqual(["250 ms", "1.5 s", "600 s"]);
});
