import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../files/internal.ts";
import { type AppRuntime, appRuntime } from "../app/app-runtime.ts";
import { createApp, type ScopedState } from "../index.ts";
import { memoryState } from "../testing/index.ts";
import { folder, home, sessionFile, useStateFiles, withState } from "./fixtures/state-files.ts";
import { fileNameOf } from "./state-file-name.ts";
import { sweepState } from "./state-files.ts";

useStateFiles();

test("an update that never settles releases its lock at the deadline", async () => {
  const world = { cwd: folder, replay: false, now: Date.now, complain: () => undefined, env: { HOOKLINE_HOME: home } };
  const app = createApp().onPrompt({ timeoutMs: 50 }, (_event, { state }) =>
    state.update("n", () => new Promise(() => undefined)),
  );
  const { trace } = await (appRuntime(app) as AppRuntime).dispatch(
    { hook_event_name: "UserPromptSubmit", session_id: "s" },
    { ...world, openTranscript: async () => undefined, signal: new AbortController().signal },
  );
  expect(trace[0]?.outcome).toBe("timed-out");
  expect(await withState((state) => state.update("n", (n = 0) => n + 1))).toBe(1);
});

test("an update without a function is refused with what is missing", async () => {
  const message = 'state.update("a") needs a function that returns the new value, not undefined.';
  await expect(withState((state) => state.update("a", undefined as never))).rejects.toThrow(message);
});

test("an update inside an update of one scope is state-nested; of another scope it works", async () => {
  const nested = withState((state) => state.update("a", async () => state.update("b", () => 1)));
  await expect(nested).rejects.toMatchObject({ code: "sdk/state-nested" });
  for (const work of [(state: ScopedState) => state.set("b", 1), (state: ScopedState) => state.clear()]) {
    const inside = withState((state) => state.update("a", () => work(state)));
    await expect(inside).rejects.toMatchObject({ code: "sdk/state-nested" });
  }
  expect(await withState((state) => state.update("a", async () => state.user.update("b", () => 2)))).toBe(2);
});

test("no id becomes a path, and no two ids share a file, also on a file system that ignores letter case", async () => {
  const ids = ["../../../tmp/escaped", "", "x".repeat(300), "a\0b", "CON", "Abc", "abc", "ABC", "..", "/etc/passwd"];
  for (const id of ids) await withState((state) => state.set("id", id), { session: id });
  for (const id of ids) expect(await withState((state) => state.get("id"), { session: id })).toBe(id);
  const names = readdirSync(join(home, "state/session")).filter((name) => name.endsWith(".json"));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
  expect(names.every((name) => /^h-[0-9a-f]{64}\.json$/.test(name))).toBe(true);
  expect(readdirSync(folder)).not.toContain("escaped");
  expect(lstatSync(sessionFile("CON")).mode & 0o777).toBe(0o600);
});

test("values are JSON, and __proto__ is an ordinary key", async () => {
  const ring: unknown[] = [];
  ring.push(ring);
  for (const value of [() => 1, 1n, ring, { deep: { fn: () => 1 } }, { seen: new Set([1]) }]) {
    await expect(withState((state) => state.set("k", value))).rejects.toMatchObject({ code: "sdk/state-not-json" });
  }
  await withState(async (state) => {
    await state.set("__proto__", { polluted: true });
    expect([await state.keys(), await state.get("__proto__"), ({} as { polluted?: true }).polluted]).toEqual([
      ["__proto__"],
      { polluted: true },
      undefined,
    ]);
  });
});

test("what is too large is refused and the old content stays; the limit is an option", async () => {
  const big = "x".repeat(2 ** 20);
  await withState((state) => state.set("k", "old"));
  await expect(withState((state) => state.set("k", big))).rejects.toMatchObject({ code: "sdk/state-too-large" });
  expect(await withState((state) => state.get("k"))).toBe("old");
  await withState((state) => state.set("k", big), { options: { stateMaxBytes: 2 ** 21 } });
  const small = withState((state) => state.set("n", "x".repeat(100)), {
    session: "t",
    options: { stateMaxBytes: 100 },
  });
  await expect(small).rejects.toMatchObject({ code: "sdk/state-too-large" });
});

test("keys expire at their ttl, session state thirty days after its last write, project state never", async () => {
  let now = Date.now();
  const at = <Value>(work: (state: ScopedState) => Promise<Value>) => withState(work, { world: { now: () => now } });
  await at(async (state) => {
    await state.set("short", 1, { ttlMs: 1_000 });
    // Counting up keeps the time to live.
    await state.update("short", (n: number) => n + 1);
    await state.set("long", 2);
    await state.project.set("kept", 3);
  });
  now += 1_001;
  expect(await at(async (state) => [await state.has("short"), await state.get("short"), await state.keys()])).toEqual([
    false,
    undefined,
    ["long"],
  ]);
  now += 31 * 24 * 3_600_000;
  expect(await at(async (state) => [await state.get("long"), await state.project.get("kept")])).toEqual([undefined, 3]);
});

test("an unreadable file is renamed with a warning, and defaults apply", async () => {
  const complaints: string[] = [];
  await withState((state) => state.set("n", 1));
  writeFileSync(sessionFile("s"), '{"n":');
  const options = { state: { session: { n: 7 } } };
  const world = { complain: (line: string) => void complaints.push(line) };
  expect(await withState((state) => state.get("n"), { options, world })).toBe(7);
  expect(complaints).toEqual([expect.stringMatching(/cannot be read .* moved to .*unreadable-\d+ and defaults apply/)]);
  expect(readdirSync(join(home, "state/session")).some((name) => name.includes(".unreadable-"))).toBe(true);
});

test("an entry of another format is reported, and kept when others are written", async () => {
  const complaints: string[] = [];
  const world = { complain: (line: string) => void complaints.push(line) };
  await withState((state) => state.set("a", 0));
  writeFileSync(sessionFile("s"), '{"seen":5,"a":{"value":1}}');
  const change = async (state: ScopedState) => [await state.get("a"), await state.update("a", (n) => n + 1)];
  expect(await withState(change, { world })).toEqual([1, 2]);
  expect(complaints).toEqual([
    expect.stringContaining('entries of another format, which are kept and not used: "seen".'),
  ]);
  expect(JSON.parse(readFileSync(sessionFile("s"), "utf8"))).toEqual({ seen: 5, a: { value: 2 } });
});

test("concurrent reads and updates of a damaged state file lose no update", async () => {
  for (let round = 0; round < 5; round++) {
    await withState((state) => state.set("n", 1));
    writeFileSync(sessionFile("s"), "{");
    const reads = Array.from({ length: 6 }, () => withState((state) => state.get("n")));
    const writes = Array.from({ length: 6 }, () => withState((state) => state.update("n", (n = 0) => n + 1)));
    await Promise.all([...reads, ...writes]);
    expect(await withState((state) => state.get("n"))).toBe(6);
  }
});

test("a key with an infinite ttl is kept", async () => {
  await withState((state) => state.set("k", 1, { ttlMs: Number.POSITIVE_INFINITY }));
  expect(await withState((state) => state.get("k"))).toBe(1);
});

test("the sweep removes old sessions and leaves the rest; a hook only notes the day", async () => {
  const old = new Date(Date.now() - 31 * 24 * 3_600_000);
  for (const session of ["old", "new", "busy"]) await withState((state) => state.set("k", 1), { session });
  await withState((state) => state.user.set("k", 1));
  for (const path of [sessionFile("old"), sessionFile("busy"), join(home, "state/user/user.json")])
    utimesSync(path, old, old);
  const gone = await withLock(sessionFile("busy"), () => sweepState(join(home, "state"), Date.now()));
  expect(gone).toEqual([`${fileNameOf("old")}.json`]);
  expect(readFileSync(join(home, "state/swept"), "utf8")).toBe("");
  expect(await withState((state) => state.user.get("k"))).toBe(1);
});

test("folders are private, and a folder that others may write is refused", async () => {
  await withState((state) => state.set("k", 1));
  expect(lstatSync(join(home, "state/session")).mode & 0o777).toBe(0o700);
  const open = join(folder, "open");
  mkdirSync(open, { mode: 0o777 });
  const { chmodSync } = await import("node:fs");
  chmodSync(open, 0o777);
  await expect(withState((state) => state.set("k", 1), { options: { stateDir: open } })).rejects.toMatchObject({
    code: "file/unsafe",
  });
  const own = join(folder, "own");
  await withState((state) => state.set("k", 1), { session: "own", options: { stateDir: own } });
  expect(readdirSync(join(own, "session"))).toContain(`${fileNameOf("own")}.json`);
});

test("a link in the place of a state file is not followed", async () => {
  const victim = join(folder, "victim");
  writeFileSync(victim, "mine");
  await withState((state) => state.set("k", 1));
  rmSync(sessionFile("s"));
  symlinkSync(victim, sessionFile("s"));
  for (const work of [(state: ScopedState) => state.set("k", 2), (state: ScopedState) => state.get("k")]) {
    await expect(withState<unknown>(work)).rejects.toMatchObject({ code: "file/unsafe" });
  }
  expect(readFileSync(victim, "utf8")).toBe("mine");
});

test("state in memory behaves as that in files does", async () => {
  const door = memoryState({ session: { n: 0 } });
  const state = door.forSpace(undefined);
  await Promise.all(Array.from({ length: 12 }, () => state.update("n", (n: number) => n + 1)));
  expect([await state.get("n"), await state.has("m"), await door.forSpace("part").get("n")]).toEqual([12, false, 0]);
});
