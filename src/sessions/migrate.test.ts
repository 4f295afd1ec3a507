import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation, longStride, quickFs, shortStride } from "../files/fixtures/faulty-fs.ts";
import { tempFolder } from "../files/fixtures/temp-folder.ts";
import { listBackups, pruneBackups } from "./backup.ts";
import { recordedHome, recordedNames } from "./fixtures/recorded-home.ts";
import { answer, prompt, result, sidechain, toolUse, type Wire, write } from "./fixtures/transcript.ts";
import type { SessionPlace } from "./formats/claude-code/locate.ts";
import { migrateSession, rollbackSession } from "./migrate.ts";
import { callsAndTokens } from "./same-calls.ts";
import { sessionAt } from "./session.ts";
import { validateSession } from "./validate.ts";

interface World {
  readonly place: SessionPlace;
  readonly env: { HOOKLINE_HOME: string };
}

/** A session as older versions wrote it: one agent's lines between those of the conversation, one agent's file beside. */
async function oldSession(): Promise<World> {
  const root = await tempFolder();
  const home = join(root, "home");
  const folder = join(home, "projects", "-p");
  const asked = prompt(null, "do it");
  const called = answer(
    asked,
    [toolUse("t1", "Task", { description: "look", prompt: "look around", subagent_type: "Explore" })],
    { stop: "tool_use", usage: { output_tokens: 4 } },
  );
  const inner = side(prompt(null, "look around"));
  const found = side(answer(inner, "found", { usage: { output_tokens: 7 } }));
  const resulted = result(called, "t1");
  const file = write(join(folder, "s1.jsonl"), [asked, called, inner, found, resulted, answer(resulted, "done")]);
  const alone = sidechain("a0123456789abcdef", prompt(null, "beside"));
  write(join(folder, "agent-a0123456789abcdef.jsonl"), [
    alone,
    sidechain("a0123456789abcdef", answer(alone, "yes", { usage: { output_tokens: 9 } })),
  ]);
  write(join(folder, "agent-a0000000000000000.jsonl"), [{ ...sidechain("a0", prompt(null, "x")), sessionId: "other" }]);
  const place: SessionPlace = { id: "s1", root: { path: home, origin: "client" }, project: "-p", folder, file };
  return { place, env: { HOOKLINE_HOME: join(root, "state") } };
}

function side(line: Wire): Wire {
  return { ...line, isSidechain: true };
}

async function bytesBelow(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = names.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, "utf8")])));
}

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
  expect(callsAndTokens(now)).toBe(callsAndTokens(old));
  expect(now.agents.map(({ inline, linkedBy }) => [inline, linkedBy]).sort()).toEqual([
    [false, "meta"],
    [false, "none"],
  ]);
  expect(now.files.agents.every(({ beside }) => beside === undefined)).toBe(true);
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
  const kept = await rollbackSession(place, backup);
  expect(await bytesBelow(place.folder)).toEqual(before);
  const backups = join(env.HOOKLINE_HOME, "backups");
  expect((await listBackups(backups, "s1")).map(({ why }) => why)).toEqual([
    "migration from inline-sidechains, agents-beside to subagents",
    "rollback",
  ]);
  expect(await rollbackSession(place, backup)).toBeUndefined();
  expect(await pruneBackups(backups, "s1", 1, quickFs)).toEqual([backup.folder]);
  expect(await pruneBackups(backups, "s1", 0, quickFs)).toEqual([kept?.folder]);
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

test.each(["error", "kill"] as const)(
  "with a fault (%s) at every operation of a migration, old or new is read with the same tokens, and a rerun completes",
  async (fault) => {
    const count = await atEveryOperation(
      fault,
      async (strike, k) => {
        const { place, env } = await oldSession();
        const tokens = callsAndTokens(await sessionAt(place).load());
        const faulty = strike();
        const done = await migrateSession(place, { env, fs: faulty.fs }).catch(() => undefined);
        expect([k, callsAndTokens(await sessionAt(place).load())]).toEqual([k, tokens]);
        const backups = await listBackups(join(env.HOOKLINE_HOME, "backups"), "s1");
        if (done !== undefined) expect(backups.length).toBe(1);
        await migrateSession(place, { env, fs: quickFs });
        const now = await sessionAt(place).load();
        expect([callsAndTokens(now), now.agents.length, now.agents.some(({ inline }) => inline)]).toEqual([
          tokens,
          2,
          false,
        ]);
        expect(now.files.agents.some(({ beside }) => beside)).toBe(false);
        expect((await validateSession(place)).counts.error).toBe(0);
      },
      longStride,
    );
    expect(count).toBeGreaterThan(80);
  },
  600_000,
);

test("a disk that fills up at any moment of a migration leaves the session byte for byte as it was, or migrated, and no copy of it", async () => {
  await atEveryOperation(
    "stuck",
    async (strike, k) => {
      const { place, env } = await oldSession();
      const before = await bytesBelow(place.root.path);
      const faulty = strike();
      const done = await migrateSession(place, { env, fs: faulty.fs }).catch((error: unknown) => error);
      // Only these need room on the disk.
      if (!(done instanceof Error) || !/^(?:write|open\+) /.test(faulty.log[k - 1] ?? "")) return;
      expect([k, done.message]).toEqual([k, expect.not.stringContaining("could not be put back")]);
      expect([k, await bytesBelow(place.root.path)]).toEqual([k, before]);
      expect([k, Object.keys(await bytesBelow(join(env.HOOKLINE_HOME, "migrating")).catch(() => ({})))]).toEqual([
        k,
        [],
      ]);
    },
    shortStride,
  );
}, 600_000);
