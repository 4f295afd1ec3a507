import { appendFileSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { followLog } from "./follow-log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-log-"));
  file = join(folder, "hooks.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The lines that each look at the files brings, with one step between two looks. */
async function linesByLook(steps: readonly (() => void)[]): Promise<readonly (readonly string[])[]> {
  const ending = new AbortController();
  const looks: string[][] = [[]];
  const left = [...steps];
  const pause = async () => {
    const step = left.shift();
    if (step === undefined) return ending.abort();
    step();
    looks.push([]);
  };
  const files = [`${file}.2`, `${file}.1`, file];
  for await (const line of followLog(files, ending.signal, pause)) looks.at(-1)?.push(line);
  return looks;
}

function rotate(): void {
  for (const n of [2, 1]) {
    const from = n === 1 ? file : `${file}.${n - 1}`;
    if (existsSync(from)) renameSync(from, `${file}.${n}`);
  }
}

test("a line is followed once it is whole, also when the files are rotated", async () => {
  writeFileSync(file, "first\n");
  const looks = await linesByLook([
    () => appendFileSync(file, "sec"),
    () => appendFileSync(file, "ond\n"),
    () => {
      appendFileSync(file, "third\n");
      rotate();
      writeFileSync(file, "fourth\n");
    },
  ]);
  expect(looks).toEqual([["first"], [], ["second"], ["third", "fourth"]]);
});

test("every line is followed once, even if the files are rotated twice between two reads", async () => {
  writeFileSync(file, "0\n");
  const rotatedTwice = (from: number) => () => {
    appendFileSync(file, `${from}\n`);
    rotate();
    appendFileSync(file, `${from + 1}\n${from + 2}\n`);
    rotate();
    appendFileSync(file, `${from + 3}\n`);
  };
  expect(await linesByLook([rotatedTwice(1), rotatedTwice(5), rotatedTwice(9)])).toEqual([
    ["0"],
    ["1", "2", "3", "4"],
    ["5", "6", "7", "8"],
    ["9", "10", "11", "12"],
  ]);
});

test("a long line keeps its characters, wherever a read splits them", async () => {
  const line = `x${"é".repeat(100_000)}`;
  const bytes = Buffer.from(`${line}\n`);
  writeFileSync(file, bytes.subarray(0, 65_536));
  expect(await linesByLook([() => appendFileSync(file, bytes.subarray(65_536))])).toEqual([[], [line]]);
});
