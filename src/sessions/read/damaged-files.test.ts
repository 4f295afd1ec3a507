import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TranscriptItem } from "../model/entry.ts";
import { readEntries } from "./read-entries.ts";
import { readLines } from "./read-lines.ts";
import { readHeader } from "./session-header.ts";

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
  "a pipe or a folder under a transcript's name does not block a reader",
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

test("a file with damage of every kind gives all that can be read, in order, with the place of what cannot", async () => {
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
  expect(reader.lines.tail?.length).toBe(20);
  let lines = 0;
  for await (const batch of readLines(file)) lines += batch.length;
  expect(lines).toBe(8);
});

function describe(item: TranscriptItem): string {
  if (item.kind === "unreadable") return `${item.why} ${item.line}`;
  return item.kind === "mode" ? (item.mode ?? "") : item.kind;
}
