import { randomBytes } from "node:crypto";
import { appendFile, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { atEveryOperation, quickFs, shortStride } from "../../files/fixtures/faulty-fs.ts";
import { archivedPlace, plainFiles, sourceFiles } from "../fixtures/archived.ts";
import { recordedHome, recordedNames } from "../fixtures/recorded-home.ts";
import { prompt } from "../fixtures/transcript.ts";
import { sessionAt } from "../session.ts";
import { archiveSession, expiringSessions } from "./archive-session.ts";
import { callFingerprint } from "./replace-session-files.ts";

test.each(recordedNames)("%s is archived whole, read from there, and counts the same", async (name) => {
  const { home, places } = await recordedHome(name);
  const root = join(home, "archive");
  for (const place of places) {
    const before = await sourceFiles(place);
    const { addedBytes, heldBytes, files } = await archiveSession(place, { root });
    expect([files, addedBytes, addedBytes]).toEqual([
      Object.keys(before).length,
      heldBytes,
      Object.values(before).join("").length,
    ]);
    expect(await plainFiles(root, place)).toEqual(before);
    expect(await archiveSession(place, { root })).toEqual({ session: place.id, files: 0, addedBytes: 0, heldBytes });
    const copy = await archivedPlace(root, place.id);
    const [there, here] = [await sessionAt(copy).load(), await sessionAt(place).load()];
    expect(callFingerprint(there)).toBe(callFingerprint(here));
    expect(there.agents.filter(({ borrowedFrom }) => !borrowedFrom).length).toBe(
      here.agents.filter(({ borrowedFrom }) => !borrowedFrom).length,
    );
    expect(await sourceFiles(place)).toEqual(before);
  }
  for (const name of await readdir(root, { recursive: true })) {
    const found = await stat(join(root, name));
    expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? 0o700 : 0o600]);
  }
});

test("run again it adds only what is new, and leaves a line that is under way", async () => {
  const { home, places } = await recordedHome("b-subagent");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const root = join(home, "archive");
  const first = await archiveSession(place, { root });
  const packed = await readFile(join(root, "projects", place.project, `${place.id}.jsonl.gz`));
  const line = `${JSON.stringify(prompt(null, "more"))}\n`;
  await appendFile(place.file, `${line}{"half":`);
  expect(await archiveSession(place, { root })).toEqual({
    session: place.id,
    files: 1,
    addedBytes: line.length,
    heldBytes: first.heldBytes + line.length,
  });
  const now = await readFile(join(root, "projects", place.project, `${place.id}.jsonl.gz`));
  expect(now.subarray(0, packed.length)).toEqual(packed);
  await appendFile(place.file, "1}\n");
  expect((await archiveSession(place, { root })).addedBytes).toBe('{"half":1}\n'.length);
  expect(await plainFiles(root, place)).toEqual(await sourceFiles(place));
});

test("what the source no longer has stays in the archive", async () => {
  const { home, places } = await recordedHome("g-large-and-image");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const root = join(home, "archive");
  await archiveSession(place, { root });
  const before = await plainFiles(root, place);
  await writeFile(place.file, `${JSON.stringify(prompt(null, "another beginning"))}\n`);
  await archiveSession(place, { root });
  const kept = (await readdir(join(root, "projects", place.project))).filter((name) => name.includes(".old-"));
  expect(kept).toHaveLength(1);
  expect((await plainFiles(root, place))[`${place.id}.jsonl`]).toBe(await readFile(place.file, "utf8"));
  await rm(place.file);
  await rm(join(place.folder, place.id), { recursive: true });
  expect((await sessionAt(await archivedPlace(root, place.id)).load()).main.entries.length).toBe(1);
  expect(Object.keys(await plainFiles(root, place)).sort()).toEqual(Object.keys(before).sort());
});

test("a source that was changed behind its beginning and has grown begins a new copy", async () => {
  const { home, places } = await recordedHome("a-plain");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const root = join(home, "archive");
  await archiveSession(place, { root });
  const source = await readFile(place.file, "utf8");
  const at = source.lastIndexOf('"uuid":"') + 8;
  expect(at).toBeGreaterThan(2_000);
  await writeFile(
    place.file,
    `${source.slice(0, at)}0${source.slice(at + 1)}${JSON.stringify(prompt(null, "more"))}\n`,
  );
  await archiveSession(place, { root });
  expect(await plainFiles(root, place)).toEqual(await sourceFiles(place));
  const folder = join(root, "projects", place.project);
  const [kept = ""] = (await readdir(folder)).filter((name) => name.includes(".old-"));
  expect(gunzipSync(await readFile(join(folder, kept))).toString("utf8")).toBe(source);
});

test.each(["", "{}", "no JSON"])("an archive whose manifest became %j loses nothing it holds", async (manifest) => {
  const { home, places } = await recordedHome("a-plain");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const root = join(home, "archive");
  const folder = join(root, "projects", place.project);
  await archiveSession(place, { root });
  const packed = await readFile(join(folder, `${place.id}.jsonl.gz`));
  await writeFile(join(folder, `${place.id}.archive.json`), manifest, { mode: 0o600 });
  await archiveSession(place, { root });
  expect((await readdir(folder)).filter((name) => name.includes(".old-"))).toEqual([]);
  await writeFile(join(folder, `${place.id}.archive.json`), manifest, { mode: 0o600 });
  await writeFile(place.file, `${JSON.stringify(prompt(null, "another beginning"))}\n`);
  await archiveSession(place, { root });
  const [kept = ""] = (await readdir(folder)).filter((name) => name.includes(".old-"));
  expect(gunzipSync(await readFile(join(folder, kept)))).toEqual(gunzipSync(packed));
});

test("killed at every operation after the source was replaced, the old copy is kept", async () => {
  await atEveryOperation(
    "kill",
    async (strike, k) => {
      const { home, places } = await recordedHome("a-plain");
      const [place] = places;
      if (place === undefined) throw new Error("one session was recorded");
      const root = join(home, "archive");
      await archiveSession(place, { root, fs: quickFs });
      const packed = await readFile(join(root, "projects", place.project, `${place.id}.jsonl.gz`));
      // Larger than what was archived, so that a half-written new copy could pass for the old one.
      const noise = randomBytes(40_000).toString("base64");
      await writeFile(place.file, `${JSON.stringify(prompt(null, noise))}\n`);
      await archiveSession(place, { root, fs: strike().fs }).catch(() => undefined);
      await archiveSession(place, { root, fs: quickFs });
      expect(await plainFiles(root, place)).toEqual(await sourceFiles(place));
      const [old = ""] = (await readdir(join(root, "projects", place.project))).filter((name) =>
        name.includes(".old-"),
      );
      expect([k, await readFile(join(root, "projects", place.project, old))]).toEqual([k, packed]);
    },
    shortStride,
  );
});

test("a copy that was cut or removed is made again", async () => {
  const { home, places } = await recordedHome("a-plain");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const root = join(home, "archive");
  await archiveSession(place, { root });
  await rm(join(root, "projects", place.project, `${place.id}.jsonl.gz`));
  await archiveSession(place, { root });
  expect(await plainFiles(root, place)).toEqual(await sourceFiles(place));
});

test("sessions that Claude Code will delete within a week and no archive holds are named", async () => {
  const { home, places } = await recordedHome("d-forked");
  const [one, two] = places;
  if (one === undefined || two === undefined) throw new Error("two sessions were recorded");
  const now = Date.parse("2026-06-30T00:00:00.000Z");
  const day = 86_400_000;
  await utimes(one.file, new Date(now), new Date(now - 24 * day));
  await utimes(two.file, new Date(now), new Date(now - 22 * day));
  const options = { roots: [home], archive: join(home, "archive"), now: () => now };
  const { size } = await stat(one.file);
  expect(await expiringSessions(options)).toEqual([
    { place: one, dueAt: "2026-07-06T00:00:00.000Z", missingBytes: size },
  ]);
  await writeFile(join(home, "settings.json"), '{ "cleanupPeriodDays": 25 }');
  expect((await expiringSessions(options)).map(({ place }) => place.id)).toEqual([one.id, two.id]);
  await archiveSession(one, { root: options.archive });
  expect((await expiringSessions(options)).map(({ place }) => place.id)).toEqual([two.id]);
});
