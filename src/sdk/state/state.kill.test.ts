import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { randomFrom } from "../../../test/fuzz/random.ts";
import { seed, sized } from "../../../test/size.ts";
import { counter, home, useStateFiles, withState } from "./fixtures/state-files.ts";
import { fileNameOf } from "./state-file-name.ts";

useStateFiles();

const rounds = sized(10, 100);
const random = randomFrom(seed);

test("twelve processes that add one to a counter at the same time end with twelve", async () => {
  const processes = await Promise.all(Array.from({ length: 12 }, () => counter()));
  try {
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(processes.map((one) => one.add(`round-${round}`)));
      expect(answers.map(({ error }) => error).filter(Boolean)).toEqual([]);
      expect(answers.map(({ seen }) => seen).sort((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 12 }, (_, n) => n + 1),
      );
    }
  } finally {
    for (const { child } of processes) child.kill("SIGKILL");
  }
});

test("a process killed at any moment leaves the old or the new file, and its lock blocks no other process", async () => {
  let last = 0;
  for (let trial = 0; trial < rounds; trial++) {
    const { child, add } = await counter();
    void (async () => {
      while (child.connected) await add("killed");
    })();
    await sleep(5 + random.below(60));
    child.kill("SIGKILL");
    await new Promise((done) => child.on("exit", done));
    const begun = performance.now();
    const now = await withState((state) => state.update("n", (n = 0) => n + 1), { session: "killed" });
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(now).toBeGreaterThan(last);
    last = now;
  }
  const left = readdirSync(join(home, "state/session")).filter((name) => !name.startsWith("."));
  expect(left).toEqual([`${fileNameOf("killed")}.json`]);
});
