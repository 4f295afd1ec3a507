import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import type { SessionPlace } from "../find/session-files.ts";
import { readHeader } from "../read/session-header.ts";
import { sessionAt } from "../session.ts";
import { openStore } from "../write/session-store.ts";

const id = "11111111-1111-4111-8111-111111111111";

/** A session of our own store with these contents as its prompts. */
async function stored(...contents: (string | unknown[])[]): Promise<SessionPlace & { readonly home: string }> {
  const root = await mkdtemp(join(tmpdir(), "large-"));
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd: "/w" });
  for (const content of contents) await session.append({ type: "user", message: { role: "user", content } });
  await session.close();
  const folder = join(root, "projects", "-w");
  const home = join(folder, id);
  return { id, root: { path: root, origin: "hookline" }, project: "-w", folder, file: `${home}.jsonl`, home };
}

async function readDuring(work: () => Promise<unknown>): Promise<number> {
  const fs = process.getBuiltinModule("node:fs");
  let bytes = 0;
  const original = fs.readSync;
  const spy = vi.spyOn(fs, "readSync").mockImplementation((...args: unknown[]) => {
    const count = (original as (...args: unknown[]) => number)(...args);
    bytes += count;
    return count;
  });
  process.getBuiltinModule("node:module").syncBuiltinESMExports();
  try {
    await work();
    return bytes;
  } finally {
    spy.mockRestore();
    process.getBuiltinModule("node:module").syncBuiltinESMExports();
  }
}

const words = `Please read this. ${"größer ".repeat(1_000_000)}`;

test("a header reads the beginning of a large prompt, not all of it", async () => {
  const { file } = await stored(words);
  let title: string | undefined;
  const bytes = await readDuring(async () => {
    ({ title } = await readHeader(file));
  });
  expect([words.startsWith(title ?? "?"), (title ?? "").length > 10_000]).toEqual([true, true]);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(64 * 1024);
});

test("a header gives the beginning of a large prompt that is archived, holds half a character or comes with a picture", async () => {
  const archived = await stored(words);
  for (const name of readdirSync(join(archived.home, "blobs"))) {
    const path = join(archived.home, "blobs", name);
    writeFileSync(`${path}.gz`, gzipSync(words));
    renameSync(path, join(archived.home, "elsewhere"));
  }
  const { title } = await readHeader(archived.file);
  expect([words.startsWith(title ?? "?"), (title ?? "").length > 10_000]).toEqual([true, true]);

  const odd = `a \ud800 "b" \\ c ${"lorem\n".repeat(20_000)}`;
  const oddTitle = (await readHeader((await stored(odd)).file)).title ?? "?";
  expect([odd.startsWith(oddTitle), oddTitle.length > 10_000]).toEqual([true, true]);

  const data = Buffer.alloc(200_000, 7).toString("base64");
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const beside = await stored([image, { type: "text", text: "What is this?" }]);
  expect(await readHeader(beside.file)).toMatchObject({ title: "What is this?", firstPrompt: "What is this?" });
});

test("the bytes of every line of an archived session are read by unpacking it once", async () => {
  const place = await stored(...Array.from({ length: 200 }, (_, index) => `prompt ${index}`));
  const plain: string[] = [];
  for await (const entry of sessionAt(place).entries())
    if (entry.kind !== "unreadable") plain.push(Buffer.from(entry.raw()).toString());
  const lines = plain.map((line) => `${line}\n`);
  const file = `${place.file}.gz`;
  // Two members, the second cut off behind its last line.
  const second = gzipSync(lines.slice(100).join(""));
  writeFileSync(file, Buffer.concat([gzipSync(lines.slice(0, 100).join("")), second.subarray(0, -8)]));
  const zlib = process.getBuiltinModule("node:zlib");
  const unpack = vi.spyOn(zlib, "gunzipSync");
  const found: string[] = [];
  for await (const entry of sessionAt({ ...place, file }).entries())
    if (entry.kind !== "unreadable") found.push(Buffer.from(entry.raw()).toString());
  expect(found).toEqual(plain);
  expect(unpack.mock.calls.length).toBeLessThan(5);
  unpack.mockRestore();
});
