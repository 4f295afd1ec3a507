import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation, faultyFs, shortStride } from "./fixtures/faulty-fs.ts";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import { appendLines, withAppend } from "./internal.ts";

test("lines are appended whole and in order, and no other file is left", async () => {
  const folder = await tempFolder();
  const path = join(folder, "log.jsonl");
  await Promise.all(Array.from({ length: 40 }, (_, n) => appendLines(path, [`{"n":${n}}`, `{"m":${n}}`])));
  const expected = Array.from({ length: 40 }, (_, n) => `{"n":${n}}\n{"m":${n}}\n`).join("");
  expect(await readFile(path, "utf8")).toBe(expected);
  expect(await namesIn(folder)).toEqual(["log.jsonl"]);
  expect((await lstat(path)).mode & 0o777).toBe(0o600);
});

test("a record with a line break is refused and the file stays as it is", async () => {
  const path = join(await tempFolder(), "log.jsonl");
  await appendLines(path, ["a"]);
  await expect(appendLines(path, ["b", "c\nd"])).rejects.toMatchObject({ code: "file/line-break" });
  expect(await readFile(path, "utf8")).toBe("a\nb\n");
});

test("an error at every operation of an append is an error, never an acknowledgement, and harms no line", async () => {
  const count = await atEveryOperation("error", async (strike, k) => {
    const faulty = strike();
    const path = join(await tempFolder(), "log.jsonl");
    await writeFile(path, '{"n":0}\n{"n":');
    const done = appendLines(path, ['{"n":1}', '{"n":2}'], { fs: faulty.fs, durable: true });
    const acknowledged = await done.then(
      () => true,
      () => false,
    );
    expect([k, acknowledged]).toEqual([k, !faulty.struck()]);
    await appendLines(path, ['{"n":3}']);
    const lines = (await readFile(path, "utf8")).split("\n");
    expect(lines.slice(0, 2)).toEqual(['{"n":0}', '{"n":']);
    expect(lines.slice(-2)).toEqual(['{"n":3}', ""]);
    expect(lines.slice(2, -2).filter((line) => line !== '{"n":1}' && line !== '{"n":2}')).toEqual([]);
  });
  expect(count).toBeGreaterThan(15);
});

test("when there is no room, half a record is cut off again, and the file is whole once there is room", async () => {
  await atEveryOperation(
    "stuck",
    async (strike) => {
      const faulty = strike();
      const folder = await tempFolder();
      const path = join(folder, "log.jsonl");
      await writeFile(path, "before\n");
      const acknowledged: string[] = [];
      for (const record of ["one", "two", "three"]) {
        await appendLines(path, [record], { fs: faulty.fs }).then(
          () => acknowledged.push(record),
          () => undefined,
        );
      }
      const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
      expect(lines.filter((line) => !["before", "one", "two", "three"].includes(line))).toEqual([]);
      expect(lines).toEqual(expect.arrayContaining(["before", ...acknowledged]));
      await appendLines(path, ["after"]);
      expect((await readFile(path, "utf8")).endsWith("\nafter\n")).toBe(true);
    },
    shortStride,
  );
});

test("killed at every operation, what was acknowledged is there once and the next append succeeds", async () => {
  await atEveryOperation(
    "kill",
    async (strike) => {
      const faulty = strike();
      const path = join(await tempFolder(), "log.jsonl");
      const acknowledged: string[] = [];
      for (const record of ["one", "two"]) {
        await appendLines(path, [record], { fs: faulty.fs }).then(
          () => acknowledged.push(record),
          () => undefined,
        );
      }
      await appendLines(path, ["three"]);
      const lines = (await readFile(path, "utf8")).split("\n");
      expect(lines.slice(-2)).toEqual(["three", ""]);
      for (const record of acknowledged) expect(lines.filter((line) => line === record)).toEqual([record]);
    },
    shortStride,
  );
});

test("a disk that takes a part of a write is asked for the rest", async () => {
  const path = join(await tempFolder(), "log.jsonl");
  const { fs } = faultyFs(Number.POSITIVE_INFINITY);
  const slow = {
    ...fs,
    open: async (...args: Parameters<typeof fs.open>) => {
      const file = await fs.open(...args);
      return { ...file, write: (bytes: Uint8Array, offset: number) => file.write(bytes, offset, 1) };
    },
  };
  await appendLines(path, ["whole line"], { fs: slow });
  expect(await readFile(path, "utf8")).toBe("whole line\n");
});

test("a link or a folder where the file or its lock should be is not followed", async () => {
  const folder = await tempFolder();
  const victim = join(folder, "victim");
  await writeFile(victim, "mine\n");
  await symlink(victim, join(folder, "log.jsonl"));
  await symlink(victim, join(folder, "other.jsonl.lock"));
  await expect(appendLines(join(folder, "log.jsonl"), ["x"])).rejects.toMatchObject({ code: "file/not-ours" });
  await expect(appendLines(join(folder, "other.jsonl"), ["x"])).rejects.toMatchObject({ code: "file/not-ours" });
  expect(await readFile(victim, "utf8")).toBe("mine\n");
  expect(await namesIn(folder)).toEqual(["log.jsonl", "other.jsonl.lock", "victim"]);
});

test("sync takes back what it could not make durable, and the writer continues from there", async () => {
  const path = join(await tempFolder(), "log.jsonl");
  await writeFile(path, "a\n");
  const { fs } = faultyFs(Number.POSITIVE_INFINITY);
  let failures = 1;
  const shaky = {
    ...fs,
    open: async (...args: Parameters<typeof fs.open>) => {
      const file = await fs.open(...args);
      const datasync = () => (failures-- > 0 ? Promise.reject(new Error("EIO")) : file.datasync());
      return { ...file, datasync };
    },
  };
  await withAppend(
    path,
    async (to) => {
      await to.line("b");
      await expect(to.sync()).rejects.toThrow("EIO");
      await to.line("c");
      await to.sync();
    },
    { fs: shaky },
  );
  expect(await readFile(path, "utf8")).toBe("a\nc\n");
});
