import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openFileWatch } from "./file-watch.ts";
import { watchedNames } from "./workspace.ts";

async function watching(paths: (root: string) => readonly string[] = (root) => [join(root, "a.txt")]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-watch-")));
  const reported: string[] = [];
  const watch = openFileWatch((path, event) => void reported.push(`${event} ${path.slice(root.length + 1)}`));
  onTestFinished(async () => {
    await watch.close();
    rmSync(root, { recursive: true, force: true });
  });
  await watch.watch(paths(root));
  return { root, reported, watch };
}

const soon = { timeout: 2_000, interval: 20 };

test("a file is reported when it is added, changed and removed, each once", async () => {
  const { root, reported } = await watching();
  const file = join(root, "a.txt");
  writeFileSync(file, "1");
  await expect.poll(() => reported, soon).toEqual(["add a.txt"]);
  writeFileSync(file, "22");
  await expect.poll(() => reported, soon).toEqual(["add a.txt", "change a.txt"]);
  rmSync(file);
  await expect.poll(() => reported, soon).toEqual(["add a.txt", "change a.txt", "unlink a.txt"]);
  writeFileSync(join(root, "b.txt"), "not watched");
  await sleep(400);
  expect(reported.length).toBe(3);
});

test("a file that is replaced by another one of the same length and time is a change", async () => {
  const { root, reported, watch } = await watching();
  const file = join(root, "a.txt");
  writeFileSync(file, "one");
  utimesSync(file, 1, 1);
  await watch.check();
  writeFileSync(join(root, "new"), "two");
  utimesSync(join(root, "new"), 1, 1);
  renameSync(join(root, "new"), file);
  await watch.check();
  expect(reported).toEqual(["add a.txt", "change a.txt"]);
});

test("a path that stays on the list loses no change; what exists at the start is not a change", async () => {
  const { root, reported, watch } = await watching((folder) => [join(folder, "a.txt"), join(folder, "deep/x")]);
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/a.txt"), "exists");
  await watch.watch([join(root, "sub/a.txt"), join(root, "deep/x")]);
  writeFileSync(join(root, "a.txt"), "no longer watched");
  writeFileSync(join(root, "sub/a.txt"), "watched");
  mkdirSync(join(root, "deep"));
  writeFileSync(join(root, "deep/x"), "in a new folder");
  await expect.poll(() => reported.toSorted(), soon).toEqual(["add deep/x", "change sub/a.txt"]);
});

test("another time of the last write is a change, even one in the past", async () => {
  const { root, reported, watch } = await watching();
  writeFileSync(join(root, "a.txt"), "1");
  await watch.check();
  utimesSync(join(root, "a.txt"), 5, 5);
  await expect.poll(() => reported, soon).toEqual(["add a.txt", "change a.txt"]);
});

test("a flood of writes is reported as changes, and the last state is not lost", async () => {
  const { root, reported, watch } = await watching();
  for (let n = 0; n < 500; n += 1) writeFileSync(join(root, "a.txt"), "x".repeat(n));
  rmSync(join(root, "a.txt"));
  await watch.check();
  expect(reported.filter((one) => one.startsWith("add")).length).toBeLessThanOrEqual(1);
  await watch.check();
  writeFileSync(join(root, "a.txt"), "last");
  await watch.check();
  expect(reported.at(-1)).toBe("add a.txt");
});

test("paths that cannot be watched are ignored", async () => {
  const { root, reported, watch } = await watching((folder) => [
    ...["", "relative", "/a\0b", `/${"x".repeat(5_000)}`, "/no/such/folder/y"],
    ...[folder, join(folder, "a.txt/below"), join(folder, "a.txt")],
  ]);
  writeFileSync(join(root, "a.txt"), "1");
  await watch.check();
  expect(reported).toContain("add a.txt");
});

test("a closed watch reports nothing", async () => {
  const { root, reported, watch } = await watching();
  await watch.close();
  writeFileSync(join(root, "a.txt"), "1");
  await watch.check();
  expect(reported).toEqual([]);
});

test("matchers name files in the current folder; paths and patterns name none", () => {
  expect(watchedNames([".env|config.json", ".env", "/etc/passwd", "a/b", "*.ts", undefined, "..", " x "])).toEqual([
    ".env",
    "config.json",
    "x",
  ]);
});
