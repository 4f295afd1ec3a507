import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomFrom } from "../../../test/fuzz/random.ts";
import { seed, sized } from "../../../test/size.ts";
import { queueTasks } from "./file-queue.ts";

const trials = sized(10, 100);
const random = randomFrom(seed);
let folder: string;
let built: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-queue-"));
  const { build } = await import("esbuild");
  built = join(folder, "queue.mjs");
  const options = { bundle: true, platform: "node", format: "esm" } as const;
  await build({ entryPoints: [resolve(import.meta.dirname, "file-queue.ts")], outfile: built, ...options });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("processes killed at any moment lose no job that was added and hand none out twice", async () => {
  const place = join(folder, "killed");
  const added = new Set<string>();
  const taken: string[] = [];
  const uncertain = new Set<string>();
  for (let trial = 0; trial < trials; trial++) {
    const users = [user(place, `a${trial}`), user(place, `b${trial}`)];
    for (const child of users) {
      child.on("message", (said: { added?: string; taking?: string; taken?: string }) => {
        if (said.added) added.add(said.added);
        if (said.taking) uncertain.add(said.taking);
        if (said.taken) taken.push(said.taken);
      });
    }
    // Every other time they have added something before they are killed, however slow the machine is.
    const isReady = (said: { added?: string }) => trial % 2 === 0 || said.added !== undefined;
    await Promise.all(users.map((child) => hears(child, isReady)));
    for (const child of users) {
      await sleep(20 + random.below(60));
      const gone = new Promise((done) => child.on("exit", done));
      child.kill("SIGKILL");
      await gone;
    }
  }
  const queue = queueTasks(place);
  for (let claim = await queue.claim(["t"]); claim; claim = await queue.claim(["t"])) {
    await queue.finish(claim, { state: "completed", value: claim.record.key });
  }
  const left = (await queue.list("s")).map(({ key, state, value }) => {
    expect([state, value]).toEqual(["completed", key]);
    return key;
  });
  expect(new Set(taken).size).toBe(taken.length);
  expect(left.filter((key) => taken.includes(key))).toEqual([]);
  // A process killed while it took a result may have had it without telling us.
  const seen = new Set([...left, ...taken, ...uncertain]);
  expect([...added].filter((key) => !seen.has(key))).toEqual([]);
  expect(added.size).toBeGreaterThanOrEqual(trials);
  const names = ["pending", "running"].flatMap((state) => readdirSync(join(place, state)));
  expect(names.filter((name) => name.endsWith(".json") && !name.startsWith("."))).toEqual([]);
});

function hears(child: ChildProcess, isIt: (said: { added?: string }) => boolean): Promise<void> {
  return new Promise((done) => child.on("message", (said: { added?: string }) => isIt(said) && done()));
}

function user(place: string, name: string): ChildProcess {
  return fork(resolve(import.meta.dirname, "../fixtures/queue-user.mjs"), [built, place, name], { execArgv: [] });
}
