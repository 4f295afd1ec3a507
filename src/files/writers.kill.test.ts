import { once } from "node:events";
import { chmod, lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { randomFrom } from "../../test/fuzz/random.ts";
import { seed, sized } from "../../test/size.ts";
import { killNow, type Program, startProgram } from "./fixtures/programs.ts";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import { replaceFile, sweepLeftovers, withLock } from "./internal.ts";

const trials = sized(60, 500);
const random = randomFrom(seed);

/** What the program printed until it was killed, at a random moment after its first output. */
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

async function inLanes(trial: () => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next++ < trials) await trial();
  };
  await Promise.all([lane(), lane()]);
}

test(`kill -9 of a writer, ${trials} times: the file is a whole version, its mode is kept, leftovers go at the next start`, async () => {
  let leftovers = 0;
  await inLanes(async () => {
    const folder = await tempFolder();
    const file = join(folder, "settings.json");
    await writeFile(file, "0  0");
    await chmod(file, 0o640);
    const printed = await saidUntilKilled(startProgram("replace-writer.mjs", file), random.below(40));
    const [first, , last] = (await readFile(file, "utf8")).split(" ");
    const newest = Number(printed.at(-1) ?? 0);
    expect([first, Number(first) >= newest, Number(first) <= newest + 1]).toEqual([last, true, true]);
    expect((await lstat(file)).mode & 0o777).toBe(0o640);
    leftovers += (await namesIn(folder)).length - 1;
    await replaceFile(file, "done");
    expect(await namesIn(folder)).toEqual(["settings.json"]);
  });
  process.stdout.write(`  ${trials} kills, ${leftovers} temporary files left and swept\n`);
});

test(`kill -9 of processes that hold, wait for or clear a lock, ${trials} times: no count is lost and no process is blocked`, async () => {
  await inLanes(async () => {
    const folder = await tempFolder();
    const file = join(folder, "count");
    await writeFile(file, "0");
    const counters = Array.from({ length: 3 }, () => startProgram("lock-counter.mjs", file));
    const printed = await Promise.all(counters.map((counter) => saidUntilKilled(counter, random.below(60))));
    const numbers = printed.flat();
    expect(new Set(numbers).size).toBe(numbers.length);
    const count = await withLock(file, async () => Number(await readFile(file, "utf8")));
    expect([count >= numbers.length, count <= numbers.length + counters.length]).toEqual([true, true]);
    await sweepLeftovers(folder);
    expect(await namesIn(folder)).toEqual(["count"]);
  });
  process.stdout.write(`  ${trials * 3} kills\n`);
});
