import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LineOptions, type LineReader, readLines } from "./read-lines.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-lines-"));
  file = join(folder, "a.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Seen {
  offset: number;
  line: number;
  text: string | undefined;
}

async function drain(reader: LineReader): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const batch of reader) {
    for (const { offset, line, bytes } of batch) seen.push({ offset, line, text: bytes?.toString() });
  }
  return seen;
}

async function linesOf(content: string | Uint8Array, options: LineOptions = {}): Promise<Seen[]> {
  writeFileSync(file, content);
  return drain(readLines(file, options));
}

test("only a newline byte ends a line; CR before it, a BOM in front and blank lines are left out", async () => {
  expect(await linesOf("\ufeffa\r\n\r\n  \t\nb\u2028c\rd\n\n\r\r\ne\r\r\n")).toEqual([
    { offset: 3, line: 1, text: "a" },
    { offset: 12, line: 4, text: "b\u2028c\rd" },
    { offset: 24, line: 7, text: "e\r" },
  ]);
});

test("a BOM anywhere but at offset 0 is content", async () => {
  expect(await linesOf("a\n\ufeffb\n")).toEqual([
    { offset: 0, line: 1, text: "a" },
    { offset: 2, line: 2, text: "\ufeffb" },
  ]);
});

test("a character cut by a chunk's end is whole, because lines are decoded whole", async () => {
  const text = "😀é".repeat(50);
  for (const chunkBytes of [1, 2, 3, 7, 64]) {
    expect(await linesOf(`${text}\n${text}\n`, { chunkBytes })).toEqual([
      { offset: 0, line: 1, text },
      { offset: 301, line: 2, text },
    ]);
  }
});

test("bytes after the last newline are reported as the tail, not returned and not consumed", async () => {
  writeFileSync(file, '{"a":1}\n{"b":');
  const reader = readLines(file);
  expect(await drain(reader)).toEqual([{ offset: 0, line: 1, text: '{"a":1}' }]);
  expect(reader.tail).toEqual({ offset: 8, length: 5 });
  expect(reader.cursor).toMatchObject({ offset: 8, lines: 1 });
  appendFileSync(file, "2}\n");
  const next = readLines(file, { from: reader.cursor });
  expect(await drain(next)).toEqual([{ offset: 8, line: 2, text: '{"b":2}' }]);
  expect({ reset: next.reset, tail: next.tail }).toEqual({ reset: false, tail: undefined });
});

test("a shorter file, another inode or another head is a reset to 0", async () => {
  const cursorOf = async (content: string) => {
    const reader = readLines(file);
    writeFileSync(file, content);
    await drain(reader);
    return reader.cursor;
  };
  const cut = await cursorOf("one\ntwo\n");
  writeFileSync(file, "one\n");
  const afterCut = readLines(file, { from: cut });
  expect([await drain(afterCut), afterCut.reset]).toEqual([[{ offset: 0, line: 1, text: "one" }], true]);

  const replaced = await cursorOf("one\ntwo\n");
  writeFileSync(file, "ONE\ntwo\nthree\n");
  const afterHead = readLines(file, { from: replaced });
  expect((await drain(afterHead)).map(({ text }) => text)).toEqual(["ONE", "two", "three"]);
  expect(afterHead.reset).toBe(true);

  const moved = await cursorOf("one\ntwo\n");
  const other = readLines(file, { from: { ...moved, ino: moved.ino + 1 } });
  expect((await drain(other)).length).toBe(2);
  expect(other.reset).toBe(true);
});

test("a cursor taken from a short file still holds when the file has grown past 1 KiB", async () => {
  writeFileSync(file, "short\n");
  const first = readLines(file);
  await drain(first);
  appendFileSync(file, `${"x".repeat(5000)}\n`);
  const second = readLines(file, { from: first.cursor });
  expect((await drain(second)).map(({ line }) => line)).toEqual([2]);
  expect(second.reset).toBe(false);
});

test("a line over the limit is passed over without being held, and the next one is read", async () => {
  const long = "y".repeat(1000);
  expect(await linesOf(`a\n${long}\nb\n`, { maxLineBytes: 100, chunkBytes: 64 })).toEqual([
    { offset: 0, line: 1, text: "a" },
    { offset: 2, line: 2, text: undefined },
    { offset: 1003, line: 3, text: "b" },
  ]);
  expect((await linesOf(`${"y".repeat(100)}\n`, { maxLineBytes: 100, chunkBytes: 64 })).length).toBe(1);
});

test.skipIf(process.platform !== "linux")("the descriptor is closed on break, throw and abort", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  writeFileSync(file, "a\nb\nc\n".repeat(1000));
  const before = open();
  for await (const _ of readLines(file, { chunkBytes: 16 })) break;
  await expect(
    (async () => {
      for await (const _ of readLines(file, { chunkBytes: 16 })) throw new Error("mine");
    })(),
  ).rejects.toThrow("mine");
  const abort = new AbortController();
  await expect(
    (async () => {
      for await (const _ of readLines(file, { chunkBytes: 16, signal: abort.signal })) abort.abort(new Error("enough"));
    })(),
  ).rejects.toThrow("enough");
  expect(open()).toBe(before);
});

test("a missing file is a problem that names it", async () => {
  await expect(drain(readLines(join(folder, "none.jsonl")))).rejects.toMatchObject({
    name: "Problem",
    code: "sessions/unreadable-file",
  });
});

test("an archived file reads like the file it was made from, member by member, a cut member included", async () => {
  const content = Buffer.from(Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join(""));
  writeFileSync(`${file}.gz`, Buffer.concat([gzipSync(content.subarray(0, 700)), gzipSync(content.subarray(700))]));
  expect(await drain(readLines(`${file}.gz`, { chunkBytes: 333 }))).toEqual(await linesOf(content));
  const cut = Buffer.concat([gzipSync(content), gzipSync(Buffer.from("torn\n")).subarray(0, 12)]);
  writeFileSync(`${file}.gz`, cut);
  expect(await drain(readLines(`${file}.gz`))).toEqual(await linesOf(content));
});

const content = fc
  .array(fc.constantFrom("a", "é", "😀", "\r", "\n", "\n", " ", "\u2028", "\0", "xyz".repeat(20)), { maxLength: 60 })
  .map((parts) => Buffer.from(parts.join("")));

test("any split of a file into appends gives the same lines as one read", async () => {
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.array(fc.nat(400), { maxLength: 6 }),
      fc.integer({ min: 1, max: 80 }),
      async (bytes, cuts, chunkBytes) => {
        const stops = [...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        writeFileSync(file, "");
        const pieces: Seen[] = [];
        let from: LineReader["cursor"] | undefined;
        let written = 0;
        for (const stop of stops) {
          appendFileSync(file, bytes.subarray(written, stop));
          written = stop;
          const reader = readLines(file, { from, chunkBytes });
          pieces.push(...(await drain(reader)));
          expect(reader.reset).toBe(false);
          from = reader.cursor;
        }
        expect(pieces).toEqual(await linesOf(bytes));
      },
    ),
    { numRuns: 100 },
  );
});

test("any cut at any byte gives a prefix and a tail", async () => {
  await fc.assert(
    fc.asyncProperty(content, fc.nat(400), async (bytes, cut) => {
      const whole = await linesOf(bytes);
      writeFileSync(file, bytes.subarray(0, cut));
      const reader = readLines(file);
      const part = await drain(reader);
      expect(part).toEqual(whole.slice(0, part.length));
      const end = reader.tail ? reader.tail.offset + reader.tail.length : reader.cursor.offset;
      expect(end).toBeLessThanOrEqual(Math.min(cut, bytes.length));
      expect(reader.cursor.offset === 0 || bytes[reader.cursor.offset - 1] === 10).toBe(true);
    }),
    { numRuns: 100 },
  );
});
