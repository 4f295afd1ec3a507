import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prompt, recorded, write } from "../fixtures/transcript.ts";
import { openSession } from "../session.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-lineage-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a fork is known by the uuids it shares with the older file, and only that way round", async () => {
  const at = (id: string) => join(recorded, "d-forked", `${id}.jsonl`);
  const [original, fork] = ["11111111-1111-4111-8111-111111111111", "a8ca7ae6-2245-4889-a8b3-2c753f65fc30"] as const;
  expect(await (await openSession(at(fork))).lineage()).toEqual([
    { id: original, by: "shared-uuids", file: at(original) },
  ]);
  expect(await (await openSession(at(original))).lineage()).toEqual([]);
});

test("ancestors named in records and in our own note come first", async () => {
  const p = prompt(null, "go", { session_id: "s-a", forkedFrom: { sessionId: "s-b", messageUuid: "u" } });
  write(join(folder, "s-a.jsonl"), [prompt(null, "old")]);
  write(join(folder, "s1/hookline.json"), [{ forkedFrom: { sessionId: "s-c" } }]);
  const session = await openSession(write(join(folder, "s1.jsonl"), [p]));
  expect(await session.lineage()).toEqual([
    { id: "s-a", by: "session_id", file: join(folder, "s-a.jsonl") },
    { id: "s-b", by: "forkedFrom" },
    { id: "s-c", by: "note" },
  ]);
});

test("a fork of a compacted session begins in the middle of its ancestor", async () => {
  const early = { timestamp: "2026-01-01T00:00:00.000Z" };
  const p = prompt(null, "go", early);
  const shared = prompt(p, "shared", { timestamp: "2026-01-01T00:00:09.000Z" });
  write(join(folder, "s0.jsonl"), [p, shared]);
  const session = await openSession(
    write(join(folder, "s1.jsonl"), [{ ...shared, parentUuid: null, sessionId: "s1" }]),
  );
  expect((await session.lineage()).map(({ id, by }) => [id, by])).toEqual([["s0", "shared-uuids"]]);
});

test("a damaged archive next to a session does not hide where the session came from", async () => {
  const p = prompt(null, "go", { timestamp: "2026-01-01T00:00:00.000Z" });
  write(join(folder, "s0.jsonl"), [p, prompt(p, "more")]);
  writeFileSync(join(folder, "s2.jsonl.gz"), "no archive");
  const fork = { ...p, parentUuid: null, sessionId: "s1", timestamp: "2026-01-02T00:00:00.000Z" };
  const session = await openSession(write(join(folder, "s1.jsonl"), [fork]));
  expect((await session.lineage()).map(({ id }) => id)).toEqual(["s0"]);
});
