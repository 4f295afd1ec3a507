import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { maxLineBytes } from "../../sessions/internal.ts";
import { usual } from "../fixtures/agreement.ts";
import { reordered } from "../fixtures/mutate.ts";
import { scanned } from "../fixtures/reference.ts";
import { answer, textOf } from "../fixtures/world.ts";
import { chunkStart, wordIsMain, wordParseAll } from "./kernel/layout.ts";
import { kernelBytes, openMemory } from "./scan-kernel.ts";
import { scanLines } from "./scanner.ts";

const memory = openMemory();

/** Whether the kernel walks over a line with this value without handing it to a JSON parser. */
function accepts(value: string): boolean {
  const length = memory.bytes.write(`${lineWith(value)}\n`, chunkStart);
  memory.words[wordIsMain] = memory.words[wordParseAll] = 0;
  let isHandedOut = false;
  const line = () => {
    isHandedOut = true;
  };
  scanLines(memory, chunkStart, chunkStart + length, 0, { line }, true);
  return !isHandedOut;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function lineWith(value: string): string {
  return `{"type":"system","value":${value}}`;
}

/** Two changes that keep a text on one line: another byte in place of one, or blanks between tokens. */
const texts = fc.json().chain((text) =>
  fc.oneof(
    fc.constant(text),
    fc.constantFrom(" ", "\t", "\r").map((blank) => text.replace(/[[\]{}:,]/g, (sign) => `${blank}${sign}${blank}`)),
    fc
      .tuple(fc.nat(text.length - 1), fc.constantFrom(...'"\\{}[]:,0-+.eEtfnu/ \t\u0001é'))
      .map(([at, byte]) => `${text.slice(0, at)}${byte}${text.slice(at + 1)}`),
  ),
);

test("the kernel accepts a text if and only if JSON.parse does", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(accepts(text)).toBe(isJson(lineWith(text)));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ...["-", "01", "-0", "0.", ".5", "1.5e", "1e+", "1e+5", "1E-5", "-1.25", "+1", "1a", "truE", "nul", "falsey"],
  ...[
    '"\\u12G4"',
    '"\\u12F4"',
    '"\\x"',
    '"\\/\\b\\f"',
    '"a\tb"',
    '"\\"',
    '"',
    "'a'",
    "[1,]",
    "[,1]",
    '{"a":1,}',
    "{a:1}",
  ],
  ...['{"a"}', '{"a":}', "[1 2]", "[1}", '{"a":1]', "[]]", "{}", "[]", "[[]]", "NaN", "Infinity", "", " ", "1 "],
])("the kernel agrees with JSON.parse on %s", (text) => {
  expect(accepts(text)).toBe(isJson(lineWith(text)));
});

test("a value that is nested very deeply is left to the parser", () => {
  expect(accepts("[".repeat(150) + "]".repeat(150))).toBe(true);
  expect(accepts("[".repeat(100_000) + "]".repeat(100_000))).toBe(false);
});

test("the kernel imports nothing and exports its memory, its loop and the table of calls", () => {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmReflection };
  const module = new WebAssembly.Module(kernelBytes());
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  expect(WebAssembly.Module.exports(module).map(({ name }) => name)).toEqual([
    "run",
    "findRow",
    "insertRow",
    "linkRows",
    "replaceRow",
    "reserveRows",
    "memory",
  ]);
});

interface WasmReflection {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): unknown[];
    exports(module: object): { readonly name: string }[];
  };
}

test("the order of keys does not change which lines are parsed", async () => {
  const lines = [...usual, ...usual.slice(2)];
  const inOrder = await parsedLines(lines);
  for (let seed = 1; seed <= 20; seed++)
    expect(await parsedLines(lines.map((line) => reordered(line, seed)))).toBe(inOrder);
});

test("a line of 64 MiB is read, one byte more is too long", async () => {
  const empty = Buffer.byteLength(textOf(answer({ content: [{ type: "text", text: "" }] })));
  const of = (bytes: number) => textOf(answer({ content: [{ type: "text", text: "y".repeat(bytes - empty) }] }));
  const last = textOf(answer({ id: "msg_2", request: "req_2" }));
  const longest = await withFile(`${of(maxLineBytes)}\n${last}\n`, scanned);
  expect([longest.calls.length, longest.unreadable]).toEqual([2, 0]);
  const longer = await withFile(`${of(maxLineBytes + 1)}\n${last}\n`, scanned);
  expect([longer.calls.length, longer.unreadable]).toEqual([1, 1]);
});

async function parsedLines(lines: readonly unknown[]): Promise<number> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return (await withFile(text, scanned)).parsed;
}

async function withFile<T>(text: string, read: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-kernel-"));
  const path = join(folder, "lines.jsonl");
  writeFileSync(path, text);
  try {
    return await read(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
