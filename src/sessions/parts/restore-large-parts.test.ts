import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { validateSession } from "../check/validate-session.ts";
import type { SessionPlace } from "../find/session-files.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { readEntries } from "../read/read-entries.ts";
import { sessionAt } from "../session.ts";
import { forkSession } from "../write/fork-session.ts";
import { openStore } from "../write/session-store.ts";

const id = "11111111-1111-4111-8111-111111111111";
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** A session of one line with a part, whose file is made by the test. */
async function sessionWith(part: object, message: object = {}): Promise<SessionPlace & { home: string }> {
  const root = await mkdtemp(join(tmpdir(), "parts-"));
  const folder = join(root, "projects", "-w");
  const home = join(folder, id);
  mkdirSync(join(home, "blobs"), { recursive: true });
  mkdirSync(join(home, "tool-results"), { recursive: true });
  const line = {
    type: "user",
    uuid: "22222222-2222-4222-8222-222222222222",
    parentUuid: null,
    sessionId: id,
    message: { role: "user", content: "kept in blobs/big", ...message },
    hookline: { parts: [{ at: ["message", "content"], file: "blobs/big", as: "text", sizeBytes: 3, ...part }] },
  };
  const file = join(folder, `${id}.jsonl`);
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  return { id, root: { path: root, origin: "client" }, project: "-w", folder, file, home };
}

async function read(file: string): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const batch of readEntries(file)) items.push(...batch);
  return items;
}

async function warnings(place: SessionPlace): Promise<string[]> {
  const { findings } = await validateSession(place);
  return findings.filter(({ code }) => code === "spilled-file-missing").map(({ message }) => message);
}

test("a pipe where a part should be neither stops a reader nor goes unnamed", async () => {
  const place = await sessionWith({});
  execFileSync("mkfifo", [join(place.home, "blobs", "big")]);
  expect(await read(place.file)).toMatchObject([{ kind: "user", content: [{ text: "kept in blobs/big" }] }]);
  expect(await warnings(place)).toEqual([expect.stringContaining("is not a file")]);
  await expect(forkSession(place)).rejects.toMatchObject({ code: "sessions/unreadable-file" });
});

test("a line cannot put a part over its type, its links, the length of a list or an entry far behind its end", async () => {
  for (const at of [
    ["type"],
    ["uuid"],
    ["parentUuid"],
    ["message"],
    ["message", "content", "length"],
    ["message", "content", 4_294_967_294],
    ["__proto__", "x"],
    ["message", "__proto__", "x"],
  ]) {
    const place = await sessionWith({ at, file: "tool-results/big" }, { content: [{ type: "text", text: "big" }] });
    writeFileSync(join(place.home, "tool-results", "big"), "abc");
    const before = process.cpuUsage();
    const [entry] = await read(place.file);
    expect(entry).toMatchObject({ kind: "user", parentUuid: null, content: [{ type: "text", text: "big" }] });
    expect(process.cpuUsage(before).user).toBeLessThan(10e6);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(await warnings(place)).toEqual([expect.stringContaining("has no place in its line")]);
  }
});

test("a part that is larger than its line says is not read, plain or compressed", async () => {
  const place = await sessionWith({});
  writeFileSync(join(place.home, "blobs", "big"), "");
  truncateSync(join(place.home, "blobs", "big"), 3 * 1024 ** 3);
  expect(await warnings(place)).toEqual([expect.stringContaining("more than 3")]);
  rmSync(join(place.home, "blobs", "big"));
  writeFileSync(join(place.home, "blobs", "big.gz"), gzipSync(Buffer.alloc(8 * 1024 * 1024)));
  expect(await warnings(place)).toEqual([expect.stringContaining("big")]);
  writeFileSync(join(place.home, "blobs", "big.gz"), "no gzip");
  expect(await warnings(place)).toEqual([expect.stringContaining("cannot be unpacked")]);
});

test("the parts of one line together are bounded", async () => {
  const size = 256 * 1024 * 1024 + 1;
  const place = await sessionWith({ sizeBytes: size });
  writeFileSync(join(place.home, "blobs", "big"), "");
  truncateSync(join(place.home, "blobs", "big"), size);
  expect(await warnings(place)).toEqual([expect.stringContaining("makes its line larger")]);
});

test("a part is not read through a link that leaves the session's folder, nor when that folder is a link", async () => {
  const name = sha("abc");
  const place = await sessionWith({ file: `blobs/${name}` }, { content: `kept in blobs/${name}` });
  writeFileSync(join(place.root.path, "secret"), "abc");
  symlinkSync(join(place.root.path, "secret"), join(place.home, "blobs", name));
  expect(await read(place.file)).toMatchObject([{ content: [{ text: `kept in blobs/${name}` }] }]);
  await expect(forkSession(place)).rejects.toMatchObject({ code: "sessions/unreadable-file" });
  rmSync(place.home, { recursive: true });
  mkdirSync(join(place.root.path, "elsewhere", "blobs"), { recursive: true });
  writeFileSync(join(place.root.path, "elsewhere", "blobs", name), "abc");
  symlinkSync(join(place.root.path, "elsewhere"), place.home);
  expect(await read(place.file)).toMatchObject([{ content: [{ text: `kept in blobs/${name}` }] }]);
  expect(await warnings(place)).toEqual([expect.stringContaining("leads out of the session's folder")]);
});

test("a part that was changed is named by validate, and one that is whole is not", async () => {
  const name = sha("abc");
  const place = await sessionWith({ file: `blobs/${name}` }, { content: `kept in blobs/${name}` });
  writeFileSync(join(place.home, "blobs", name), "abc");
  expect(await read(place.file)).toMatchObject([{ content: [{ text: "abc" }] }]);
  expect(await warnings(place)).toEqual([]);
  writeFileSync(join(place.home, "blobs", name), "abd");
  expect(await warnings(place)).toEqual([expect.stringContaining("was changed")]);
});

test("a line nested a hundred thousand deep is read with its part", async () => {
  const name = sha("abc");
  const place = await sessionWith({ file: `blobs/${name}` }, { content: `kept in blobs/${name}` });
  writeFileSync(join(place.home, "blobs", name), "abc");
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  writeFileSync(
    place.file,
    readFileSync(place.file, "utf8").replace('{"type":"user"', `{"type":"user","deep":${deep}`),
  );
  expect(await read(place.file)).toMatchObject([{ kind: "user", content: [{ text: "abc" }] }]);
});

test("a fork copies only files of its session, whatever a line names", async () => {
  const place = await sessionWith({ file: "../victim", at: ["message", "content"] }, { content: "../victim" });
  const victim = join(place.folder, "victim");
  writeFileSync(victim, "abc");
  const store = join(await mkdtemp(join(tmpdir(), "fork-")), "projects", "-w");
  mkdirSync(store, { recursive: true });
  writeFileSync(join(store, "victim"), "mine");
  await forkSession(place, {
    into: { root: { path: dirname(dirname(store)), origin: "hookline" }, project: "-w", folder: store },
  });
  expect(readFileSync(join(store, "victim"), "utf8")).toBe("mine");
});

test("the line of a fork stays as short as the line it repeats", async () => {
  const root = await mkdtemp(join(tmpdir(), "fork-"));
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd: "/w" });
  const output = "x".repeat(300_000);
  await session.append({ type: "user", message: { role: "user", content: "go" } });
  await session.append({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: output }] },
    toolUseResult: { stdout: output },
  });
  await store.close();
  const folder = dirname(session.file);
  const place = { id, root: { path: root, origin: "hookline" as const }, project: "-w", folder, file: session.file };
  const fork = await forkSession(place);
  expect(readFileSync(fork.file).length).toBeLessThan(20_000);
  const { main } = await sessionAt(fork).load();
  expect(main.entries.at(-1)).toMatchObject({
    content: [{ content: [{ text: output }] }],
    toolUseResult: { stdout: output },
  });
});
