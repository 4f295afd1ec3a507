import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readEntries } from "./entries.ts";
import type { Item } from "./entry.ts";
import { isRecord, toEntry } from "./formats/claude-code/entry.ts";
import { readHeader } from "./header.ts";
import { readLines } from "./lines.ts";
import { recordsOf } from "./records.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-reader-"));
  file = join(folder, "a.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a file that grows while it is read gives a prefix of what was written, in order and whole", async () => {
  writeFileSync(file, "");
  const script = `
    const { appendFileSync } = require("node:fs");
    for (let n = 0; n < 4000; n++) appendFileSync(${JSON.stringify(file)}, JSON.stringify({ type: "mode", mode: String(n), pad: "x".repeat(n % 500) }) + "\\n");`;
  const writer = spawn(process.execPath, ["-e", script], { stdio: "inherit" });
  const ended = once(writer, "exit");
  let reads = 0;
  for (let done = false; !done; ) {
    const seen: string[] = [];
    for await (const batch of readEntries(file, { chunkBytes: 4096, tail: "keep" })) {
      for (const item of batch) seen.push(item.kind === "mode" ? (item.mode ?? "") : item.kind);
    }
    expect(seen).toEqual(seen.map((_, index) => String(index)));
    done = seen.length === 4000;
    reads++;
    if (writer.exitCode !== null && !done) done = reads > 1000;
  }
  expect((await ended)[0]).toBe(0);
});

test.skipIf(process.platform === "win32")(
  "a pipe or a folder under a transcript's name keeps nobody waiting",
  async () => {
    execFileSync("mkfifo", [file]);
    const read = async (path: string) => {
      for await (const _ of readEntries(path)) throw new Error("nothing to read");
    };
    await expect(read(file)).rejects.toMatchObject({ code: "sessions/unreadable-file" });
    await expect(read(folder)).rejects.toMatchObject({ code: "sessions/unreadable-file" });
    await expect(readHeader(file)).rejects.toMatchObject({ code: "sessions/unreadable-file" });
  },
);

test("a line of exactly 64 MiB is read, one byte more is passed over, and the lines around them are read", async () => {
  const limit = 64 * 1024 * 1024;
  const line = (length: number) => `{"type":"mode","mode":"${"z".repeat(length - 25)}"}`;
  const small = '{"type":"mode","mode":"a"}';
  writeFileSync(file, `${small}\n${line(limit)}\n${line(limit + 1)}\n${small}\n`);
  const seen: [string, number][] = [];
  for await (const batch of readEntries(file)) for (const { kind, length } of batch) seen.push([kind, length]);
  expect(seen).toEqual([
    ["mode", small.length],
    ["mode", limit],
    ["unreadable", limit + 1],
    ["mode", small.length],
  ]);
});

test("a hundred thousand random byte strings are read without a throw, none in more than 100 ms", () => {
  const pieces = [
    '{"type":"',
    '"}',
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    "\\u00",
    "\0",
    ":",
    ",",
    "null",
    "1e9",
    '{"type":"user","message":{"content":',
    '"uuid":"u","parentUuid":null,',
    "\u00ff",
    "}{",
    '"sessionId":"s",',
  ];
  let seed = 1;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed % below;
  };
  let slowest = 0;
  for (let run = 0; run < 100_000; run++) {
    const bytes =
      run % 4 === 0
        ? randomBytes(1 + next(60))
        : Buffer.from(Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join(""), "latin1");
    const from = performance.now();
    const line = { offset: 0, length: bytes.length, end: bytes.length + 1, line: 1, bytes, terminated: run % 3 !== 0 };
    for (const record of recordsOf({ path: file, dev: 0, ino: 0 }, line, isRecord))
      if (record.kind === "record") toEntry(record);
    slowest = Math.max(slowest, performance.now() - from);
  }
  expect(slowest).toBeLessThan(1000);
});

test("damage of every kind in one file: all that can be read comes out, in order, with the place of what cannot", async () => {
  const good = (name: string) => `{"type":"mode","mode":"${name}","sessionId":"s"}`;
  const parts = [
    good("a"),
    "{torn",
    `${good("b")}${good("c")}`,
    "\0\0\0",
    `{"stub":"x${good("d")}`,
    "[]",
    "\u00ff\u00fe",
    good("e"),
    good("f").slice(0, 20),
  ];
  writeFileSync(file, Buffer.from(parts.join("\n"), "latin1"));
  const seen: string[] = [];
  const reader = readEntries(file);
  for await (const batch of reader) for (const item of batch) seen.push(describe(item));
  expect(seen).toEqual(["a", "not-json 2", "b", "c", "nul-run 4", "splice 5", "d", "not-object 6", "not-json 7", "e"]);
  expect(reader.tail?.length).toBe(20);
  let lines = 0;
  for await (const batch of readLines(file)) lines += batch.length;
  expect(lines).toBe(8);
});

function describe(item: Item): string {
  if (item.kind === "unreadable") return `${item.why} ${item.line}`;
  return item.kind === "mode" ? (item.mode ?? "") : item.kind;
}
