import { chmod, chown, lchown, lstat, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "./fixtures/temp-folder.ts";
import { ensureFolder, openFolder, openState, statePath } from "./internal.ts";

test("the state folder is HOOKLINE_HOME, else the platform's", () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string>) => statePath({ env, home: "/u", platform });
  expect(at("linux", { HOOKLINE_HOME: "/x" })).toBe("/x");
  expect(at("linux", {})).toBe("/u/.local/state/hookline");
  expect(at("linux", { XDG_STATE_HOME: "/s" })).toBe("/s/hookline");
  expect(at("linux", { XDG_STATE_HOME: "s" })).toBe("/u/.local/state/hookline");
  expect(at("darwin", {})).toBe("/u/Library/Application Support/hookline");
  expect(at("win32", { LOCALAPPDATA: "/l" })).toBe("/l/hookline");
  expect(statePath({ env: { HOME: "/h" }, platform: "linux" })).toBe("/h/.local/state/hookline");
  expect(() => at("linux", { HOOKLINE_HOME: "here" })).toThrow(/absolute path/);
});

test("the state folder is made with its parents, and every folder is 0700", async () => {
  const root = await tempFolder();
  const home = join(root, "a", "b");
  const spill = await openState(["spill", "s1"], { env: { HOOKLINE_HOME: home } });
  expect(spill).toBe(join(home, "spill", "s1"));
  for (const path of [join(root, "a"), home, join(home, "spill"), spill]) {
    expect((await lstat(path)).mode & 0o777).toBe(0o700);
  }
  expect(await openState([], { env: { HOOKLINE_HOME: home } })).toBe(home);
});

test("a folder that group or others may write is refused, with a way out", async () => {
  const root = await tempFolder();
  for (const mode of [0o770, 0o707, 0o777, 0o1777]) {
    await chmod(root, mode);
    await expect(openFolder(root)).rejects.toMatchObject({
      code: "file/unsafe",
      message: expect.stringMatching(/chmod/),
    });
  }
  await chmod(root, 0o755);
  await openFolder(root);
});

test("a folder that another program keeps is taken as it is, but a link is not followed", async () => {
  const root = await tempFolder();
  await chmod(root, 0o775);
  await ensureFolder(join(root, "a", "b"));
  expect((await lstat(join(root, "a"))).mode & 0o777).toBe(0o700);
  await ensureFolder(root);
  await symlink("a", join(root, "link"));
  await expect(ensureFolder(join(root, "link"))).rejects.toMatchObject({ code: "file/not-ours" });
});

test("eight calls that open it at once all succeed", async () => {
  const path = join(await tempFolder(), "a", "b");
  await Promise.all(Array.from({ length: 8 }, () => openFolder(path)));
  expect((await lstat(path)).mode & 0o777).toBe(0o700);
});

test("a file in its place is a problem; a link of one's own to a safe folder is not", async () => {
  const root = await tempFolder();
  await writeFile(join(root, "file"), "");
  await expect(openFolder(join(root, "file"))).rejects.toMatchObject({ code: "file/not-ours" });
  await mkdir(join(root, "real"), { mode: 0o700 });
  await symlink("real", join(root, "link"));
  await openFolder(join(root, "link"));
  await chmod(join(root, "real"), 0o777);
  await expect(openFolder(join(root, "link"))).rejects.toMatchObject({ code: "file/unsafe" });
});

test.skipIf(process.getuid?.() !== 0)(
  "another user's folder or link is refused, which only root can show",
  async () => {
    const root = await tempFolder();
    await mkdir(join(root, "theirs"), { mode: 0o700 });
    await chown(join(root, "theirs"), 1234, 1234);
    await expect(openFolder(join(root, "theirs"))).rejects.toMatchObject({ code: "file/unsafe" });
    await mkdir(join(root, "mine"), { mode: 0o700 });
    await symlink("mine", join(root, "link"));
    await lchown(join(root, "link"), 1234, 1234);
    await expect(openFolder(join(root, "link"))).rejects.toMatchObject({ code: "file/unsafe" });
  },
);

test("a relative HOME is refused for the state folder too", () => {
  for (const home of ["near", "./near", "../near"])
    expect(() => statePath({ env: { HOME: home }, platform: "linux" })).toThrow(
      /^HOME is ".*near"\. It must be an absolute path/,
    );
  expect(statePath({ env: { HOME: "near", XDG_STATE_HOME: "/state" }, platform: "linux" })).toBe("/state/hookline");
});
