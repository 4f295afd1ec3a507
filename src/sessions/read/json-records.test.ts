import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TranscriptItem } from "../model/entry.ts";
import { readEntries } from "./read-entries.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-records-"));
  file = join(folder, "a.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read(content: string | Buffer): Promise<TranscriptItem[]> {
  writeFileSync(file, content);
  const items: TranscriptItem[] = [];
  for await (const batch of readEntries(file)) items.push(...batch);
  return items;
}

const mode = (value: string) => `{"type":"mode","mode":"${value}","sessionId":"s"}`;

/** One word per item: what it is, what it holds, how it was marked. */
function brief(item: TranscriptItem): string {
  if (item.kind === "unreadable") return `${item.why} ${JSON.stringify(Buffer.from(item.bytes()).toString("latin1"))}`;
  const marks = [item.lossy && "lossy", item.recovered && "recovered", item.unterminated && "unterminated"];
  return [item.kind, "mode" in item ? item.mode : "", ...marks].filter(Boolean).join(" ");
}

async function briefly(content: string | Buffer): Promise<string[]> {
  return (await read(content)).map(brief);
}

test("bad lines are given in order with good ones, with place and reason", async () => {
  const items = await read(`${mode("a")}\nnot json\n[1]\n${mode("b")}\n"text"\nnull\n7\n${mode("c")}\n`);
  expect(items.map(brief)).toEqual([
    "mode a",
    'not-json "not json"',
    'not-object "[1]"',
    "mode b",
    'not-object "\\"text\\""',
    'not-object "null"',
    'not-object "7"',
    "mode c",
  ]);
  expect(items.map(({ line, offset, length }) => [line, offset, length]).slice(0, 3)).toEqual([
    [1, 0, 42],
    [2, 43, 8],
    [3, 52, 3],
  ]);
});

test("both objects of a junction are saved", async () => {
  expect(await briefly(`${mode("a")}${mode("b")}\n${mode("c")}\n`)).toEqual([
    "mode a recovered",
    "mode b recovered",
    "mode c",
  ]);
});

test("a whole record glued behind a stub is saved, the stub is kept as damage", async () => {
  const stub = '{"type":"user","message":{"role":"user","content":"say \\"hi\\" {"';
  expect(await briefly(`${stub}${mode("a")}\n`)).toEqual([`splice ${JSON.stringify(stub)}`, "mode a recovered"]);
});

test("an object nested in a torn record is not taken for a record", async () => {
  const torn = '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"x"}';
  expect(await briefly(`${torn}\n${torn}]}\n`)).toEqual([
    `not-json ${JSON.stringify(torn)}`,
    `not-json ${JSON.stringify(`${torn}]}`)}`,
  ]);
});

test("a record between runs of NUL is saved", async () => {
  expect(await briefly(`\0\0\0${mode("a")}\0\0\n\0\0\n`)).toEqual([
    'nul-run "\\u0000\\u0000\\u0000"',
    "mode a recovered",
    'nul-run "\\u0000\\u0000"',
    'nul-run "\\u0000\\u0000"',
  ]);
});

test("invalid UTF-8 is read with replacement characters, marked, and its bytes stay exact", async () => {
  const bytes = Buffer.concat([Buffer.from('{"type":"mode","mode":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const [item] = await read(Buffer.concat([bytes, Buffer.from(`\n${mode("\ufffd")}\n`)]));
  expect(item && brief(item)).toBe("mode \ufffd\ufffd lossy");
  expect(item?.kind === "mode" && Buffer.from(item.raw()).equals(bytes)).toBe(true);
  expect((await read(`${mode("\ufffd")}\n`)).map(brief)).toEqual(["mode \ufffd"]);
});

test("a one-shot read gives a last line without newline if it is whole, and only then", async () => {
  expect(await briefly(`${mode("a")}\n${mode("b")}`)).toEqual(["mode a", "mode b unterminated"]);
  expect(await briefly(`${mode("a")}\n${mode("b").slice(0, -1)}`)).toEqual(["mode a"]);
});

test("a lone surrogate, a 5 MB line and U+2028 are ordinary records with exact bytes", async () => {
  const lines = [mode("\\ud800"), mode("x".repeat(5_000_000)), mode("\u2028")];
  const items = await read(`${lines.join("\r\n")}\r\n`);
  expect(items.map(({ kind }) => kind)).toEqual(["mode", "mode", "mode"]);
  expect(items.map((item) => (item.kind === "mode" ? Buffer.from(item.raw()).toString() : ""))).toEqual(lines);
});

test("raw bytes of a file that was replaced are refused, not guessed", async () => {
  const [item] = await read(`${mode("a")}\n`);
  writeFileSync(join(folder, "b"), `${mode("b")}\n`);
  renameSync(join(folder, "b"), file);
  expect(() => (item?.kind === "mode" ? item.raw() : undefined)).toThrowError(
    expect.objectContaining({ code: "sessions/changed" }),
  );
});

test("any bytes are read without a throw, and every byte that is not blank is accounted for", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "{",
      "}",
      "}{",
      '"',
      "\\",
      "\0\0",
      "\n",
      mode("a"),
      '{"a":{"b":[1,{"c":"}{"}]}}',
      "[",
      "\ufeff",
      "1e5",
    ),
    fc.string({ maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.uint8Array({ maxLength: 10 }), async (pieces, noise) => {
      const content = Buffer.concat([Buffer.from(pieces.join("")), noise, Buffer.from("\n")]);
      const items = await read(content);
      let at = 0;
      for (const item of items) {
        expect(content.subarray(at, item.offset).toString("latin1").replace("\u00ef\u00bb\u00bf", "").trim()).toBe("");
        at = item.offset + item.length;
      }
      expect(content.subarray(at).toString("latin1").replace("\u00ef\u00bb\u00bf", "").trim()).toBe("");
    }),
    { numRuns: 300 },
  );
});
