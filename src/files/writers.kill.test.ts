import { once } from "node:events";
import { chmod, lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { killNow, type Program, startProgram } from "./fixtures/programs.ts";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import { replaceFile, sweepLeftovers, withLock } from "./index.ts";

/** The quick suite stops after a while on a slow machine; `npm run test:kill` does not. */
const isLong = process.env["HOOKLINE_TRIALS"] !== undefined;
const trials = isLong ? 500 : 30;
const limitMs = isLong ? Number.POSITIVE_INFINITY : 1_500;

/** What the program said until it was killed, at a random moment after its first word. */
async function saidUntilKilled(program: Program, afterMs: number): Promise<string[]> {
  let text = "";
  program.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const closed = once(program, "close");
  await Promise.race([once(program.stdout, "data"), closed]);
  await sleep(afterMs);
  await killNow(program);
  await closed;
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "");
}

async function inLanes(trial: (n: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  let done = 0;
  const lane = async () => {
    for (let n = next++; n < trials; n = next++) {
      if (performance.now() - startedAt > limitMs && done >= 10) return;
      await trial(n);
      done += 1;
    }
  };
  await Promise.all([lane(), lane()]);
  return done;
}

test(`kill -9 of a writer, up to ${trials} times: the file is a whole version, its mode is kept, leftovers go at the next start`, async () => {
  let leftovers = 0;
  const done = await inLanes(async () => {
    const folder = await tempFolder();
    const file = join(folder, "settings.json");
    await writeFile(file, "0  0");
    await chmod(file, 0o640);
    const said = await saidUntilKilled(startProgram("replace-writer.mjs", file), Math.random() * 40);
    const [first, , last] = (await readFile(file, "utf8")).split(" ");
    const newest = Number(said.at(-1) ?? 0);
    expect([first, Number(first) >= newest, Number(first) <= newest + 1]).toEqual([last, true, true]);
    expect((await lstat(file)).mode & 0o777).toBe(0o640);
    leftovers += (await namesIn(folder)).length - 1;
    await replaceFile(file, "done");
    expect(await namesIn(folder)).toEqual(["settings.json"]);
  });
  process.stdout.write(`  ${done} kills, ${leftovers} temporary files left and swept\n`);
}, 3_600_000);

test(`kill -9 of processes that hold, wait for or clear a lock, up to ${trials} times: no count is lost and nobody is held up`, async () => {
  const done = await inLanes(async () => {
    const folder = await tempFolder();
    const file = join(folder, "count");
    await writeFile(file, "0");
    const counters = Array.from({ length: 3 }, () => startProgram("lock-counter.mjs", file));
    const said = await Promise.all(counters.map((counter) => saidUntilKilled(counter, Math.random() * 60)));
    const numbers = said.flat();
    expect(new Set(numbers).size).toBe(numbers.length);
    const count = await withLock(file, async () => Number(await readFile(file, "utf8")));
    expect([count >= numbers.length, count <= numbers.length + counters.length]).toEqual([true, true]);
    await sweepLeftovers(folder);
    expect(await namesIn(folder)).toEqual(["count"]);
  });
  process.stdout.write(`  ${done * 3} kills\n`);
}, 3_600_000);
