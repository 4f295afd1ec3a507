import { mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeFs } from "../files/internal.ts";
import { spill } from "./fire/answer-files.ts";

let base = "";
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "spill-"));
});
afterAll(() => rm(base, { recursive: true }));

test("a text of 10,000 characters stays as it is and touches no file", async () => {
  const text = "x".repeat(10_000);
  expect(await spill(text, join(base, "none"))).toEqual({ text });
  expect(await readdir(base)).toEqual([]);
});

test("a longer text is stored in a private file and replaced by its beginning and the path", async () => {
  const folder = join(base, "session", "spills");
  const text = `${"y".repeat(1_999)}😀${"z".repeat(9_000)}`;
  const { text: short, warning } = await spill(text, folder);
  const path = /the whole text is in (.*)\]$/.exec(short)?.[1] ?? "";
  expect(warning).toBeUndefined();
  expect(short).toBe(`${"y".repeat(1_999)}\n[cut: 11001 characters in all; the whole text is in ${path}]`);
  expect(await readFile(path, "utf8")).toBe(text);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect([dirname(path), (await stat(folder)).mode & 0o777]).toEqual([folder, 0o700]);
});

test("two spills never share a name", async () => {
  const folder = join(base, "two");
  await Promise.all([spill("a".repeat(20_000), folder), spill("a".repeat(20_000), folder)]);
  expect(new Set(await readdir(folder)).size).toBe(2);
});

test("a link in place of the folder is not followed: the text is cut, with a warning", async () => {
  const victim = join(base, "victim");
  const link = join(base, "link");
  await nodeFs.mkdir(victim, 0o700);
  await symlink(victim, link);
  const { text, warning } = await spill("a".repeat(20_000), link);
  expect(text).toBe(`${"a".repeat(9_969)}\n[cut: 20000 characters in all]`.slice(-10_000));
  expect(text.length).toBe(10_000);
  expect(warning).toEqual({
    code: "spill-failed",
    message: `A text of 20000 characters could not be written to ${link} and was cut: ${link} is a link. Remove it so that a directory can be created.`,
    place: link,
  });
  expect(await readdir(victim)).toEqual([]);
});

test("a full disk costs the rest of the text, nothing more", async () => {
  const full = { ...nodeFs, open: () => Promise.reject(new Error("ENOSPC: no space left on device")) };
  const { text, warning } = await spill("a".repeat(20_000), join(base, "full"), full);
  expect([text.length, warning?.code]).toEqual([10_000, "spill-failed"]);
});
