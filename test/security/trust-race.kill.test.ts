import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openEngine } from "../../src/engine/internal.ts";
import { approved, flip, inBackground } from "./swaps.ts";

/** A process that lets two folders change places, as fast as it can. */
function flipFolders(one: string, other: string): void {
  const program = `const fs = require("fs");
    const [a, b] = process.argv.slice(1);
    for (;;) { fs.renameSync(a, a + ".x"); fs.renameSync(b, a); fs.renameSync(a + ".x", b); }`;
  inBackground([program, one, other]);
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
