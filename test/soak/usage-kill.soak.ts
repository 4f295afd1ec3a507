import { test } from "vitest";
import { settled } from "../../src/usage/fixtures/indexed-world.ts";
import { killRuns } from "../../src/usage/fixtures/kill-runs.ts";

test("five hundred runs killed while they write the index: the next one is right", () => killRuns(settled(), 500));
