import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TranscriptItem } from "../model/entry.ts";
import { offsetsOf, readEntryWindow, type WindowRequest } from "./entry-window.ts";
import { readEntries, readEntriesReverse } from "./read-entries.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-window-"));
  file = join(folder, "a.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uuidAt = (line: number) => `00000000-0000-4000-8000-${String(line).padStart(12, "0")}`;
const lineAt = (line: number) =>
  JSON.stringify({
    type: "progress",
    uuid: uuidAt(line),
    parentUuid: null,
    data: { uuid: uuidAt(1), pad: "x".repeat(line % 97) },
  });

function writeLines(count: number): void {
  writeFileSync(
    file,
    Array.from({ length: count }, (_, index) => (index % 50 === 49 ? "\n" : `${lineAt(index + 1)}\n`)).join(""),
  );
}

async function all(items: AsyncIterable<TranscriptItem>): Promise<TranscriptItem[]> {
  const list: TranscriptItem[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function window(wish: WindowRequest): Promise<number[]> {
  const items = await readEntryWindow(file, wish, () => offsetsOf(file));
  return items.map((item) => (item.kind === "unreadable" ? -1 : Number(item.uuid?.slice(-12))));
}

test("a window is taken by line number, by uuid, around an entry, or of the last lines", async () => {
  writeLines(2000);
  expect(await window({ from: 1, limit: 3 })).toEqual([1, 2, 3]);
  expect(await window({ from: 1500, limit: 3 })).toEqual([1501, 1502, 1503]);
  expect(await window({ from: 1999, limit: 10 })).toEqual([1999]);
  expect(await window({ from: 9999, limit: 10 })).toEqual([]);
  expect(await window({ from: uuidAt(700), limit: 0 }).catch((error: { code: string }) => error.code)).toBe(
    "sessions/no-entry",
  );
  expect(await window({ from: uuidAt(701), limit: 2 })).toEqual([701, 702]);
  expect(await window({ around: uuidAt(1010), limit: 4 })).toEqual([1008, 1009, 1010, 1011]);
  expect(await window({ around: uuidAt(1), limit: 4 })).toEqual([1, 2, 3, 4]);
  expect(await window({ last: 3 })).toEqual([1997, 1998, 1999]);
  expect(await window({ last: 0 })).toEqual([]);
});

test("a window reads only its own stretch of the file", async () => {
  writeLines(20_000);
  const table = await offsetsOf(file);
  const at = table.before(15_000);
  expect(15_000 - at.line).toBeLessThan(512);
  expect(table.cursor.lines).toBe(20_000);
});

test("the table grows with the file and starts over when the file was replaced", async () => {
  writeLines(600);
  const first = await offsetsOf(file);
  appendFileSync(file, `${lineAt(601)}\n${lineAt(602)}\n`);
  const second = await offsetsOf(file, first);
  expect([second.cursor.lines, second.uuids.get(uuidAt(602)), first.cursor.lines]).toEqual([602, [602], 600]);
  writeLines(10);
  expect((await offsetsOf(file, second)).cursor.lines).toBe(10);
});

test("the last lines of an archived session can be read", async () => {
  writeLines(1000);
  const expected = await window({ last: 5 });
  writeFileSync(`${file}.gz`, gzipSync(Array.from({ length: 1000 }, (_, index) => `${lineAt(index + 1)}\n`).join("")));
  file = `${file}.gz`;
  expect(await window({ last: 5 })).toEqual([996, 997, 998, 999, 1000]);
  expect(expected.length).toBe(5);
});

test("reading from the back gives the same items in reverse, whatever the file holds", async () => {
  const piece = fc.constantFrom(
    "\n",
    "\r\n",
    '{"type":"mode","mode":"a"}',
    '{"type":"mode","mode":"é😀"}',
    "junk",
    "\0",
    " ",
    "[1]",
    '{"type":"mode","mode":"a"}{"type":"mode","mode":"b"}',
    "\ufeff",
    "x".repeat(3000),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      writeFileSync(file, pieces.join(""));
      const forward: TranscriptItem[] = [];
      for await (const batch of readEntries(file)) forward.push(...batch);
      const place = ({ kind, offset, length }: TranscriptItem) => `${kind} ${offset} ${length}`;
      expect((await all(readEntriesReverse(file))).reverse().map(place)).toEqual(forward.map(place));
    }),
    { numRuns: 150 },
  );
});

test("a line longer than a chunk is read whole from the back", async () => {
  const long = JSON.stringify({ type: "mode", mode: "y".repeat(1_000_000) });
  writeFileSync(file, `${lineAt(1)}\n${long}\n${lineAt(3)}\n`);
  expect((await all(readEntriesReverse(file))).map(({ kind, length }) => [kind, length])).toEqual([
    ["progress", lineAt(3).length],
    ["mode", long.length],
    ["progress", lineAt(1).length],
  ]);
});
