/** Files that change while a hook is checked and started. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../../src/engine/fixtures/checkout.ts";
import { openEngine, reviewTrust } from "../../src/engine/index.ts";
import { until } from "../until.ts";

async function approved(command: string, path: string, text: string): Promise<CheckoutWorld> {
  const world = await checkoutWorld();
  await world.put(`project/${path}`, text);
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  const review = await reviewTrust(world.options);
  await review.pin(review.entries);
  return world;
}

/** A process that puts one text and the other in a file's place, as fast as it can. */
function flip(file: string, good: string, bad: string): void {
  const program = `const fs = require("fs");
    const [file, ...texts] = process.argv.slice(1);
    for (let i = 0; ; i++) { fs.writeFileSync(file + ".next", texts[i % 2]); fs.renameSync(file + ".next", file); }`;
  inBackground([program, file, good, bad]);
}

/** A process that lets two folders change places, as fast as it can. */
function flipFolders(one: string, other: string): void {
  const program = `const fs = require("fs");
    const [a, b] = process.argv.slice(1);
    for (;;) { fs.renameSync(a, a + ".x"); fs.renameSync(b, a); fs.renameSync(a + ".x", b); }`;
  inBackground([program, one, other]);
}

function inBackground(args: readonly string[]): void {
  const child = spawn(process.execPath, ["-e", ...args], { stdio: "ignore" });
  onTestFinished(async () => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  });
}

test("a script that is swapped back and forth runs at most once in 300 tries, and then its answer does not count", async () => {
  const world = await approved("sh .claude/h.sh", ".claude/h.sh", "echo good\n");
  const mark = join(world.root, "bad");
  flip(join(world.project, ".claude/h.sh"), "echo good\n", `echo x >> ${mark}; echo bad\n`);
  const engine = await openEngine(world.options);
  const answers = new Set<string>();
  for (let tries = 0; tries < 300; tries++) {
    const { runs } = await engine.fire("Stop", {});
    for (const { ended, stdout } of runs) if (ended.by === "exit") answers.add(stdout.trim());
  }
  await engine.close();
  const ran = existsSync(mark) ? (await readFile(mark, "utf8")).split("\n").length - 1 : 0;
  expect(ran).toBeLessThanOrEqual(1);
  expect([...answers].filter((answer) => answer !== "good")).toEqual([]);
}, 120_000);

test("a script that was written a moment ago runs as soon as it is at rest", async () => {
  const world = await approved("sh .claude/h.sh", ".claude/h.sh", "echo good\n");
  const engine = await openEngine(world.options);
  await writeFile(join(world.project, ".claude/h.sh"), "echo good\n");
  const { runs } = await engine.fire("Stop", {});
  await engine.close();
  expect(runs.map(({ stdout }) => stdout.trim())).toEqual(["good"]);
});

test("a folder of a hook that is written all the time holds the hook neither up nor off", async () => {
  const world = await approved("sh .claude/hooks/h.sh", ".claude/hooks/h.sh", "echo good\n");
  const folder = join(world.project, ".claude/hooks");
  flip(join(folder, "log"), "one", "two");
  await until("the folder is written", () => existsSync(join(folder, "log")));
  const engine = await openEngine(world.options);
  const { runs, skipped } = await engine.fire("Stop", {});
  await engine.close();
  expect([skipped, runs.map(({ stdout }) => stdout.trim())]).toEqual([[], ["good"]]);
});

test("a folder that is swapped with another one back and forth does not get its script run and believed", async () => {
  const world = await approved("sh .claude/hooks/h.sh", ".claude/hooks/h.sh", "echo good\n");
  const [hooks, other] = [join(world.project, ".claude/hooks"), join(world.project, ".claude/other")];
  await world.put("project/.claude/other/h.sh", "echo bad\n");
  await sleep(150);
  flipFolders(hooks, other);
  const engine = await openEngine(world.options);
  const answers = new Set<string>();
  for (let tries = 0; tries < 60; tries++) {
    const { runs } = await engine.fire("Stop", {});
    for (const { ended, stdout } of runs) if (ended.by === "exit") answers.add(stdout.trim());
  }
  await engine.close();
  expect([...answers].filter((answer) => answer === "bad")).toEqual([]);
}, 120_000);

test("a hook whose file is swapped while it starts is ended and reported", async () => {
  const world = await approved("touch ../started; sleep 60; sh .claude/h.sh", ".claude/h.sh", "echo good\n");
  const engine = await openEngine(world.options);
  // The last look at the files comes a second after the start; here, when the test says so.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fired = engine.fire("Stop", {});
  await expect.poll(() => existsSync(join(world.project, "../started"))).toBe(true);
  await writeFile(join(world.project, ".claude/h.sh"), "echo bad\n");
  await vi.advanceTimersByTimeAsync(1_000);
  vi.useRealTimers();
  const { runs } = await fired;
  await engine.close();
  expect(runs.map(({ ended }) => ended)).toEqual([
    {
      by: "not-started",
      why: expect.stringContaining("h.sh was changed while the hook was started; the hook was ended"),
    },
  ]);
});
