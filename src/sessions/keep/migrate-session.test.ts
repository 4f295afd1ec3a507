import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { validateSession } from "../check/validate-session.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { bytesBelow, oldSession } from "../fixtures/old-session.ts";
import { recordedHome, recordedNames } from "../fixtures/recorded-home.ts";
import { sessionAt } from "../session.ts";
import { migrateSession, rollbackSession } from "./migrate-session.ts";
import { callFingerprint } from "./replace-session-files.ts";
import { listBackups } from "./session-backup.ts";

test.each(recordedNames)("%s is of the present layout", async (name) => {
  const { home, places } = await recordedHome(name);
  const before = await bytesBelow(home);
  for (const place of places)
    expect(await migrateSession(place, { env: { HOOKLINE_HOME: join(home, "state") } })).toEqual({ done: [] });
  expect(await bytesBelow(home)).toEqual(before);
});

test("agents get their place, lines keep their bytes, calls and tokens are the same, and a rollback undoes it and keeps what was there", async () => {
  const { place, env } = await oldSession();
  const before = await bytesBelow(place.folder);
  const old = await sessionAt(place).load();
  const dry = await migrateSession(place, { env, dryRun: true });
  expect(dry.done.map(({ from, to, what }) => [from, to, what.length])).toEqual([
    ["inline-sidechains", "subagents", 1],
    ["agents-beside", "subagents", 1],
  ]);
  expect(await bytesBelow(place.folder)).toEqual(before);
  const { done, backup } = await migrateSession(place, { env });
  expect(done).toEqual(dry.done);
  const now = await sessionAt(place).load();
  expect(callFingerprint(now)).toBe(callFingerprint(old));
  expect(now.agents.map(({ inline, linkedBy }) => [inline, linkedBy]).sort()).toEqual([
    [false, "meta"],
    [false, "none"],
  ]);
  expect(now.files.agents.every(({ nextToMain }) => nextToMain === undefined)).toBe(true);
  const lines = (bytes: Record<string, string>) =>
    Object.entries(bytes)
      .filter(([path]) => path.endsWith(".jsonl"))
      .flatMap(([, text]) => text.split("\n"))
      .filter((line) => line !== "")
      .sort();
  expect(lines(await bytesBelow(place.folder))).toEqual(lines(before));
  expect((await validateSession(place)).counts.error).toBe(0);
  expect(await migrateSession(place, { env })).toEqual({ done: [] });
  if (backup === undefined) throw new Error("a backup was promised");
  await rollbackSession(place, backup);
  expect(await bytesBelow(place.folder)).toEqual(before);
  const backups = join(env.HOOKLINE_HOME, "backups");
  expect((await listBackups(backups, "s1")).map(({ why }) => why)).toEqual([
    "migration from inline-sidechains, agents-beside to subagents",
    "rollback",
  ]);
  expect(await rollbackSession(place, backup)).toBeUndefined();
});

test("a live session, an archive, an unknown layout and a store of a newer format are left alone", async () => {
  const { place, env } = await oldSession();
  const before = await bytesBelow(place.root.path);
  await expect(migrateSession(place, { env, live: true })).rejects.toMatchObject({ code: "sessions/read-only" });
  await expect(migrateSession({ ...place, file: `${place.file}.gz` }, { env })).rejects.toMatchObject({
    code: "sessions/read-only",
  });
  await expect(migrateSession(place, { env, to: "beyond" })).rejects.toMatchObject({ code: "sessions/unknown-format" });
  expect(await bytesBelow(place.root.path)).toEqual(before);
  await writeFile(join(place.root.path, "hookline-store.json"), '{"format":99}', { mode: 0o600 });
  await expect(migrateSession(place, { env })).rejects.toMatchObject({ code: "sessions/newer-format" });
});

test("a step that would lose a call is stopped before anything is swapped", async () => {
  const { place, env } = await oldSession();
  const before = await bytesBelow(place.root.path);
  const careless = {
    from: "old",
    to: "subagents",
    describe: () => ["loses"],
    apply: (model: { place: SessionPlace }) => writeFile(model.place.file, ""),
  };
  await expect(migrateSession(place, { env, steps: [careless] })).rejects.toMatchObject({
    code: "sessions/not-migrated",
  });
  expect(await bytesBelow(place.root.path)).toEqual(before);
});
