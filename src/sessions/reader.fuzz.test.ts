import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { randomFrom } from "../../test/fuzz/random.ts";
import { seed } from "../../test/size.ts";
import { isTranscriptRecord } from "./formats/claude-code/build-entry.ts";
import { toEntry } from "./formats/claude-code/to-entry.ts";
import { recordSource, recordsOf } from "./read/json-records.ts";
import { readEntries } from "./read/read-entries.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-reader-"));
  file = join(folder, "a.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

test("a hundred thousand random byte strings are read without a throw, none in more than a second", () => {
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
  const { below } = randomFrom(seed);
  let slowest = 0;
  for (let run = 0; run < 100_000; run++) {
    const bytes =
      run % 4 === 0
        ? Buffer.from(Array.from({ length: 1 + below(60) }, () => below(256)))
        : Buffer.from(Array.from({ length: 1 + below(14) }, () => pieces[below(pieces.length)]).join(""), "latin1");
    const from = performance.now();
    const line = { offset: 0, length: bytes.length, end: bytes.length + 1, line: 1, bytes, terminated: run % 3 !== 0 };
    for (const record of recordsOf(recordSource(file), line, isTranscriptRecord))
      if (record.kind === "record") toEntry(record);
    slowest = Math.max(slowest, performance.now() - from);
  }
  expect(slowest).toBeLessThan(1_000);
});
