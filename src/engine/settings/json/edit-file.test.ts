import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation } from "../../../files/fixtures/faulty-fs.ts";
import { namesIn, tempFolder } from "../../../files/fixtures/temp-folder.ts";
import { nodeFs } from "../../../files/internal.ts";
import { maxSettingsBytes, realFile } from "../settings-source.ts";
import { editSettings } from "./edit-file.ts";
import type { Edit } from "./edit-text.ts";

const deny = (rule: string): Edit => ({ do: "append", path: ["permissions", "deny"], value: rule });

async function settingsFile(content: string | Uint8Array): Promise<string> {
  const file = join(await tempFolder(), "settings.json");
  writeFileSync(file, content);
  return file;
}

test("a full disk is reported with the file and what to do", async () => {
  const file = join(await tempFolder(), "settings.json");
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  const fs = { ...nodeFs, open: () => Promise.reject(full) };
  await expect(editSettings(file, () => [deny("Bash")], { fs })).rejects.toMatchObject({
    code: "settings/not-written",
    message: `${file} cannot be edited: ${full.message}. The disk is full. Free some space and try again.`,
  });
});

test("an edit is written and reported, and removed again byte for byte", async () => {
  const text = '\ufeff{\r\n\t"permissions": { "deny": [ "Read" ] }, // mine\r\n}';
  const file = await settingsFile(text);
  chmodSync(file, 0o640);
  const done = await editSettings(file, () => [deny("Bash")]);
  expect(done).toMatchObject({ changed: true, created: false, before: text, after: readFileSync(file, "utf8") });
  expect(lstatSync(file).mode & 0o777).toBe(0o640);
  const back = await editSettings(file, () => [{ do: "remove", path: ["permissions", "deny", 1] }]);
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(back.changed).toBe(true);
  expect(await namesIn(join(file, ".."))).toEqual(["settings.json"]);
});

test("a link to a missing file is followed from the real folder of the link", async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, "a", "b"), { recursive: true });
  symlinkSync("a/b", join(folder, "linked"));
  symlinkSync("../settings.json", join(folder, "a", "b", "settings.json"));
  expect(await realFile(join(folder, "linked", "settings.json"))).toBe(join(folder, "a", "settings.json"));
});

test("the edits are planned with the current content of the file", async () => {
  const file = await settingsFile('{"permissions": {"deny": ["Bash"]}}');
  const has = (settings: unknown) =>
    (settings as { permissions: { deny: string[] } }).permissions.deny.includes("Bash");
  const done = await editSettings(file, (settings) => (has(settings) ? [] : [deny("Bash")]));
  expect(done).toMatchObject({ changed: false, created: false });
});

test("a missing file is created with its folder, unless there is nothing to write", async () => {
  const file = join(await tempFolder(), "project", ".claude", "settings.json");
  expect(await editSettings(file, () => [])).toMatchObject({ changed: false, created: false });
  expect(await namesIn(join(file, ".."))).toEqual([]);
  expect(await editSettings(file, () => [deny("Bash")])).toMatchObject({ changed: true, created: true });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { deny: ["Bash"] } });
  expect(lstatSync(file).mode & 0o777).toBe(0o644);
});

test.each([
  ["no JSON", '{"permissions": {"deny": [}', "line 1, column 27"],
  ["a duplicate key", '{"a": 1, "a": 2}', 'the key "a" is a duplicate'],
  ["nothing", "", "the end of the file"],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "not UTF-8"],
  ["ten megabytes", Buffer.alloc(10_000_000, 0x20), "10000000 bytes"],
  ["a depth of 10,000", "[".repeat(10_000), "nested more than 200 deep"],
])("%s is refused and keeps its bytes", async (_, content, why) => {
  const file = await settingsFile(content);
  await expect(editSettings(file, () => [deny("Bash")])).rejects.toMatchObject({
    code: "settings/unreadable",
    message: expect.stringContaining(why),
  });
  expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
  expect(await namesIn(join(file, ".."))).toEqual(["settings.json"]);
});

test("an edit that would exceed the size limit is refused", async () => {
  const file = await settingsFile(`{"a": "${"x".repeat(maxSettingsBytes - 10)}"}`);
  await expect(editSettings(file, () => [deny("Bash")])).rejects.toMatchObject({
    code: "settings/not-editable",
    message: expect.stringContaining(`at most ${maxSettingsBytes} are read`),
  });
  expect(lstatSync(file).size).toBe(maxSettingsBytes - 1);
});

test("a foreign change between read and write is noticed: the edit is made on the new content", async () => {
  const file = await settingsFile("{}");
  let foreign = 0;
  const done = await editSettings(file, () => {
    if (foreign++ === 0) writeFileSync(file, '{"theirs": true}');
    return [deny("Bash")];
  });
  expect(foreign).toBe(2);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ theirs: true, permissions: { deny: ["Bash"] } });
  expect(done.before).toBe('{"theirs": true}');
});

test("a file that keeps changing is a conflict, and the last foreign content stays", async () => {
  const file = await settingsFile("{}");
  let foreign = 0;
  const edit = editSettings(file, () => {
    writeFileSync(file, `{"theirs": ${++foreign}}`);
    return [deny("Bash")];
  });
  await expect(edit).rejects.toMatchObject({ code: "settings/busy" });
  expect(readFileSync(file, "utf8")).toBe('{"theirs": 5}');
  expect(await namesIn(join(file, ".."))).toEqual(["settings.json"]);
});

test("a linked settings file stays a link, whether its target exists or not", async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, "dotfiles"));
  const target = join(folder, "dotfiles", "real.json");
  const file = join(folder, "settings.json");
  symlinkSync("dotfiles/real.json", file);
  expect(await editSettings(file, () => [deny("Bash")])).toMatchObject({ created: true });
  await editSettings(file, () => [deny("Read")]);
  expect(readlinkSync(file)).toBe("dotfiles/real.json");
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ permissions: { deny: ["Bash", "Read"] } });
});

test("killed at any operation, the file is the old or the new one", async () => {
  const folder = await tempFolder();
  const operations = await atEveryOperation("kill", async (strike, k) => {
    // A folder for each: the lock that a killed process leaves would be that of this live one.
    const file = join(folder, String(k), "settings.json");
    mkdirSync(join(folder, String(k)));
    writeFileSync(file, '{"a": 1}');
    await Promise.allSettled([editSettings(file, () => [deny("Bash")], { fs: strike().fs })]);
    expect(['{"a": 1}', '{"a": 1, "permissions": { "deny": ["Bash"] }}']).toContain(readFileSync(file, "utf8"));
  });
  expect(operations).toBeGreaterThan(10);
});

test("if any operation fails, the edit is complete or the file is unchanged", async () => {
  const folder = await tempFolder();
  await atEveryOperation("error", async (strike, k) => {
    const file = join(folder, String(k), "settings.json");
    mkdirSync(join(folder, String(k)));
    writeFileSync(file, '{"a": 1}');
    const [done] = await Promise.allSettled([editSettings(file, () => [deny("Bash")], { fs: strike().fs })]);
    const now = readFileSync(file, "utf8");
    if (done.status === "rejected")
      expect(done.reason).toMatchObject({ name: "Problem", code: expect.stringMatching(/^settings\//) });
    if (done.status === "fulfilled") expect(now).toBe('{"a": 1, "permissions": { "deny": ["Bash"] }}');
    else expect(['{"a": 1}', '{"a": 1, "permissions": { "deny": ["Bash"] }}']).toContain(now);
  });
});

test("a dry run reports what would be written and touches nothing", async () => {
  const folder = await tempFolder();
  const file = join(folder, "none", "settings.json");
  const edited = await editSettings(file, () => [deny("Bash")], { dryRun: true });
  expect(edited).toMatchObject({ changed: true, created: true, before: "{}\n" });
  expect(await namesIn(folder)).toEqual([]);
});

test("a file is backed up before it is replaced, and is not replaced if that fails", async () => {
  const file = await settingsFile('{"a": 1}');
  const seen: string[] = [];
  await editSettings(file, () => [deny("Bash")], {
    beforeWrite: async ({ before }) => void seen.push(before, readFileSync(file, "utf8")),
  });
  expect(seen).toEqual(['{"a": 1}', '{"a": 1}']);
  const now = readFileSync(file, "utf8");
  const failing = editSettings(file, () => [deny("Read")], {
    beforeWrite: () => Promise.reject(new Error("no room for a backup")),
  });
  await expect(failing).rejects.toThrow("no room");
  expect(readFileSync(file, "utf8")).toBe(now);
});
