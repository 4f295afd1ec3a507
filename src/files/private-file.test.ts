import { execFileSync } from "node:child_process";
import { chmod, lstat, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import { readPrivate, writePrivate } from "./internal.ts";

test("a private file is 0600 in a 0700 folder under a name that cannot be guessed", async () => {
  const folder = join(await tempFolder(), "spill");
  const paths = await Promise.all(
    Array.from({ length: 20 }, () => writePrivate(folder, "text", { prefix: "context-", suffix: ".txt" })),
  );
  expect(new Set(paths).size).toBe(20);
  const [first = ""] = paths;
  expect(basename(first)).toMatch(/^context-[0-9a-f]{32}\.txt$/);
  expect(await readFile(first, "utf8")).toBe("text");
  expect((await lstat(first)).mode & 0o777).toBe(0o600);
  expect((await lstat(folder)).mode & 0o777).toBe(0o700);
});

test("a prefix cannot lead out of the folder", async () => {
  const folder = await tempFolder();
  await expect(writePrivate(folder, "x", { prefix: "../" })).rejects.toBeInstanceOf(TypeError);
  expect(await namesIn(folder)).toEqual([]);
});

test("a file we rely on is read only when it is ours alone", async () => {
  const folder = await tempFolder();
  const path = join(folder, "pins.json");
  expect(await readPrivate(path)).toBe(undefined);
  await writeFile(path, "pins", { mode: 0o600 });
  expect(await readPrivate(path)).toEqual(Buffer.from("pins"));
  await symlink("pins.json", join(folder, "link"));
  await expect(readPrivate(join(folder, "link"))).rejects.toMatchObject({ code: "file/unsafe" });
  for (const mode of [0o620, 0o602]) {
    await chmod(path, mode);
    await expect(readPrivate(path)).rejects.toMatchObject({ code: "file/unsafe" });
  }
  await expect(readPrivate(folder)).rejects.toBeInstanceOf(Error);
});

test("a pipe in the place of a file is refused at once, also without a reader at its other end", async () => {
  const path = join(await tempFolder(), "pins.json");
  execFileSync("mkfifo", [path]);
  await expect(readPrivate(path)).rejects.toMatchObject({ code: "file/unsafe" });
});
