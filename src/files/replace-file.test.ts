import { chmod, chown, lstat, mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation } from "./fixtures/faulty-fs.ts";
import { forgetfulFs } from "./fixtures/forgetful-fs.ts";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import {
  type Fs,
  nodeFs,
  ownIdentity,
  replaceFile,
  sweepLeftovers,
  syncBackedFs,
  tempName,
  withLock,
} from "./internal.ts";

test("a new file is private, an old one keeps its mode", async () => {
  const folder = await tempFolder();
  const path = join(folder, "settings.json");
  expect(await replaceFile(path, "one")).toBe("replaced");
  expect((await lstat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o640);
  await replaceFile(path, "two");
  expect([(await lstat(path)).mode & 0o777, await readFile(path, "utf8")]).toEqual([0o640, "two"]);
  expect(await namesIn(folder)).toEqual(["settings.json"]);
});

test.skipIf(process.getuid?.() !== 0)("the owner stays, which only root can show", async () => {
  const path = join(await tempFolder(), "settings.json");
  await writeFile(path, "one");
  await chown(path, 1234, 4321);
  await replaceFile(path, "two");
  const { uid, gid } = await lstat(path);
  expect({ uid, gid }).toEqual({ uid: 1234, gid: 4321 });
});

test("a linked file stays a link and its target is written, also through a chain and to a file that does not exist", async () => {
  const folder = await tempFolder();
  await mkdir(join(folder, "real"));
  await mkdir(join(folder, "links"));
  await symlink("../real/one.json", join(folder, "links", "one.json"));
  await symlink("links/one.json", join(folder, "chain.json"));
  await replaceFile(join(folder, "chain.json"), "new", { links: "through" });
  expect(await readFile(join(folder, "real", "one.json"), "utf8")).toBe("new");
  expect(await readlink(join(folder, "chain.json"))).toBe("links/one.json");
  await chmod(join(folder, "real", "one.json"), 0o644);
  await replaceFile(join(folder, "chain.json"), "newer", { links: "through" });
  expect(await readFile(join(folder, "real", "one.json"), "utf8")).toBe("newer");
  expect((await lstat(join(folder, "real", "one.json"))).mode & 0o777).toBe(0o644);
  expect(await readlink(join(folder, "links", "one.json"))).toBe("../real/one.json");
});

test("a link in a circle is a problem, not a hang", async () => {
  const folder = await tempFolder();
  await symlink("b", join(folder, "a"));
  await symlink("a", join(folder, "b"));
  await expect(replaceFile(join(folder, "a"), "x", { links: "through" })).rejects.toMatchObject({
    code: "file/not-ours",
  });
});

test("a file that is ours alone is not written through a link, and the victim is unchanged", async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, "victim"), "mine");
  await symlink("victim", join(folder, "pins.json"));
  await expect(replaceFile(join(folder, "pins.json"), "x")).rejects.toMatchObject({ code: "file/not-ours" });
  await expect(replaceFile(folder, "x")).rejects.toMatchObject({ code: "file/not-ours" });
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("mine");
  expect(await namesIn(folder)).toEqual(["pins.json", "victim"]);
});

test("a file whose owner cannot be kept is left alone, with a message", async () => {
  const path = join(await tempFolder(), "f");
  await writeFile(path, "theirs");
  const stat = await lstat(path);
  const fs: Fs = {
    ...nodeFs,
    lstat: async (at) =>
      at === path ? Object.assign(await nodeFs.lstat(at), { uid: stat.uid + 1 }) : nodeFs.lstat(at),
    open: async (...args) =>
      Object.assign(await nodeFs.open(...args), {
        chown: () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM" })),
      }),
  };
  await expect(replaceFile(path, "ours", { fs })).rejects.toMatchObject({
    code: "file/not-ours",
    message: expect.stringContaining(`belongs to another user or group (${stat.uid + 1}:${stat.gid})`),
  });
  expect([await readFile(path, "utf8"), await namesIn(dirname(path))]).toEqual(["theirs", ["f"]]);
});

test("a file that changed meanwhile is left alone", async () => {
  const folder = await tempFolder();
  const path = join(folder, "settings.json");
  expect(await replaceFile(path, "one", { expect: null })).toBe("replaced");
  expect(await replaceFile(path, "two", { expect: null })).toBe("changed");
  expect(await replaceFile(path, "two", { expect: Buffer.from("on") })).toBe("changed");
  expect(await replaceFile(path, "two", { expect: Buffer.from("one") })).toBe("replaced");
  expect(await readFile(path, "utf8")).toBe("two");
  expect(await namesIn(folder)).toEqual(["settings.json"]);
});

test.each(["error", "stuck", "kill"] as const)(
  "with a fault (%s) at every operation the file is the old or the new one",
  async (fault) => {
    const count = await atEveryOperation(fault, async (strike, k) => {
      const folder = await tempFolder();
      const path = join(folder, "settings.json");
      await writeFile(path, "old", { mode: 0o640 });
      const faulty = strike();
      const done = await replaceFile(path, "new", { fs: faulty.fs }).catch(() => "failed");
      const text = await readFile(path, "utf8");
      if (done === "replaced") expect([k, text]).toEqual([k, "new"]);
      else expect(["old", "new"]).toContain(text);
      expect(done === "failed").toBe(faulty.struck());
      expect((await lstat(path)).mode & 0o777).toBe(0o640);
      if (fault !== "kill" && faulty.log.at(-1)?.startsWith("unlink") !== true) {
        expect((await namesIn(folder)).length).toBeLessThanOrEqual(2);
      }
    });
    expect(count).toBeGreaterThan(8);
  },
);

test.each(["lost", "kept"] as const)(
  "a power cut at every operation (names %s) leaves the old or the new file",
  async (names) => {
    await atEveryOperation("kill", async (strike, k) => {
      const folder = await tempFolder();
      const path = join(folder, "settings.json");
      await writeFile(path, "old");
      const forgetful = await forgetfulFs(folder);
      const done = await replaceFile(path, "new", { fs: strike(forgetful.fs).fs }).catch(() => "failed");
      await forgetful.cut(names);
      const text = await readFile(path, "utf8");
      expect([k, text]).toEqual([k, done === "replaced" ? "new" : expect.stringMatching(/^(old|new)$/)]);
    });
  },
);

test("temporary files of a killed process are removed at the next start; those of a live one stay", async () => {
  const folder = await tempFolder();
  const own = tempName(join(folder, "a.json"));
  const { pid, start } = ownIdentity();
  const dead = own.replace(`.${pid}-${start}-`, `.${pid}-1-`);
  const foreign = own.replace(/-[0-9a-f]{12}-/, "-000000000000-");
  for (const path of [own, dead, foreign, join(folder, "b.hookline-tmp")]) await writeFile(path, "x");
  await replaceFile(join(folder, "a.json"), "x");
  const names = [own, foreign, "b.hookline-tmp", "a.json"].map((path) => path.slice(path.lastIndexOf("/") + 1));
  expect(await namesIn(folder)).toEqual(names.sort());
  const later = Date.now() + 25 * 60 * 60 * 1000;
  expect(await sweepLeftovers(folder, undefined, later)).toEqual([foreign.slice(folder.length + 1)]);
});

test("with synchronous system calls files are replaced, locked and missed in the same way", async () => {
  const folder = await tempFolder();
  const path = join(folder, "job.json");
  const add = () =>
    withLock(
      path,
      async () => {
        const old = Number(await readFile(path, "utf8").catch(() => "0"));
        await replaceFile(path, String(old + 1), { fs: syncBackedFs });
      },
      { fs: syncBackedFs },
    );
  await Promise.all(Array.from({ length: 5 }, add));
  expect([await readFile(path, "utf8"), await namesIn(folder)]).toEqual(["5", ["job.json"]]);
  await symlink(path, join(folder, "link"));
  await expect(replaceFile(join(folder, "link"), "x", { fs: syncBackedFs })).rejects.toMatchObject({
    code: "file/not-ours",
  });
  await expect(syncBackedFs.lstat(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
});
