import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { bash, on, openIn, processesWith } from "./world.ts";

const linux = process.platform === "linux";

test.runIf(linux)("aborting during 20 running hooks ends them all within 3 s and rejects with the reason", async () => {
  const hooks = Array.from({ length: 20 }, (_, n) => `trap '' TERM; touch started-${n}; sleep 60 & sleep 60; wait`);
  const { engine, project, mark } = await openIn(on("PreToolUse", ...hooks), { concurrency: 20 });
  const abort = new AbortController();
  const fired = engine.fire("PreToolUse", bash, { signal: abort.signal });
  await until(
    "all have started",
    () => readdirSync(project).filter((name) => name.startsWith("started-")).length === 20,
  );

  const reason = new Error("the user pressed Escape");
  const begun = performance.now();
  abort.abort(reason);
  await expect(fired).rejects.toBe(reason);
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(processesWith(mark)).toEqual([]);
});
