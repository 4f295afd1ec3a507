import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { sized } from "../../test/size.ts";
import { atEveryOperation, shortStride } from "../files/fixtures/faulty-fs.ts";
import { forgetfulFs } from "../files/fixtures/forgetful-fs.ts";
import { compiled, endOf, startFixture } from "../files/fixtures/programs.ts";
import { tempFolder } from "../files/fixtures/temp-folder.ts";
import { placesIn } from "./fixtures/recorded-home.ts";
import { entriesOf, itemsOf, said } from "./fixtures/store-entries.ts";
import { missingParts } from "./parts/restore-large-parts.ts";
import { openStore } from "./write/session-store.ts";

const cwd = "/home/dev/project";
const id = "11111111-1111-4111-8111-111111111111";

test("a record cut at every byte becomes a line of its own; the next record is whole and all others are read", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd });
  await session.append(said("whole"));
  const before = (await lstat(session.file)).size;
  await session.append(said("t".repeat(1_750)));
  await store.close();
  const bytes = await readFile(session.file);
  expect(bytes.length - before).toBeGreaterThan(2_000);
  const writer = await (await openStore({ root, version: "1" })).open({ id, cwd });
  // At CI size most bytes in the middle of the record are left out.
  const stride = sized(37, 1);
  const isEdge = (size: number) => size < before + 30 || size > bytes.length - 30;
  for (let size = before; size < bytes.length; size += isEdge(size) ? 1 : stride) {
    await writeFile(session.file, bytes.subarray(0, size));
    await writer.append({ type: "mode", mode: "normal" });
    const items = await itemsOf(session.file);
    const stub = size === before ? [] : size === bytes.length - 1 ? ["user"] : ["unreadable"];
    expect([size, items.map(({ kind }) => kind)]).toEqual([size, ["user", ...stub, "mode"]]);
    expect((await readFile(session.file)).subarray(0, size).equals(bytes.subarray(0, size))).toBe(true);
  }
}, 120_000);

test("an error at every operation of an append: not acknowledged, the file valid, parents unbroken", async () => {
  const count = await atEveryOperation(
    "error",
    async (strike, k) => {
      const root = await tempFolder();
      const quiet = await openStore({ root, version: "1" });
      await (await quiet.open({ id, cwd })).append(said("before"));
      const faulty = strike();
      const acknowledged: string[] = [];
      try {
        const store = await openStore({ root, version: "1", fs: faulty.fs });
        const session = await store.open({ id, cwd });
        const drafts = [said("one"), { ...said("two"), toolUseResult: { stdout: "x".repeat(70_000) } }, said("three")];
        for (const draft of drafts) {
          await session.append(draft, { durable: true }).then(
            ({ uuid = "" }) => acknowledged.push(uuid),
            () => undefined,
          );
        }
      } catch {
        // The store could not even be opened: nothing was acknowledged.
      }
      const session = await (await openStore({ root, version: "1" })).open({ id, cwd });
      await session.append(said("after"));
      const items = await itemsOf(session.file);
      expect([k, items.filter(({ kind }) => kind === "unreadable")]).toEqual([k, []]);
      const uuids = items.flatMap((item) => ("uuid" in item && item.uuid ? [item.uuid] : []));
      expect(uuids).toEqual(expect.arrayContaining(acknowledged));
      expect(new Set(uuids).size).toBe(uuids.length);
      const known = new Set<unknown>([null, ...uuids]);
      expect(items.filter((item) => "parentUuid" in item && !known.has(item.parentUuid))).toEqual([]);
    },
    shortStride,
  );
  expect(count).toBeGreaterThan(60);
}, 120_000);

test.each(["lost", "kept"] as const)(
  "a power cut at every operation (names %s) loses no durable record",
  async (names) => {
    await atEveryOperation(
      "kill",
      async (strike, k) => {
        const root = await tempFolder();
        const forgetful = await forgetfulFs(root);
        const { fs } = strike(forgetful.fs);
        const durable: string[] = [];
        try {
          const store = await openStore({ root, version: "1", fs });
          const session = await store.open({ id, cwd });
          for (const draft of [said("one"), { ...said("two"), toolUseResult: { stdout: "x".repeat(70_000) } }]) {
            await session.append(draft, { durable: true }).then(
              ({ uuid = "" }) => durable.push(uuid),
              () => undefined,
            );
          }
        } catch {
          // Cut before the store was open.
        }
        await forgetful.cut(names);
        const [place] = await placesIn(root, "hookline");
        const entries = place === undefined ? [] : await entriesOf(place.file);
        expect([k, entries.flatMap(({ uuid }) => uuid ?? []).slice(0, durable.length)]).toEqual([k, durable]);
        for (const entry of entries) {
          const record = JSON.parse(Buffer.from(entry.raw()).toString("utf8")) as Record<string, unknown>;
          expect(missingParts(record, place?.file ?? "")).toEqual([]);
        }
      },
      shortStride,
    );
  },
  120_000,
);

/** How many processes append how many records of up to how many bytes. */
const crowds = [
  { writers: 2, each: sized(200, 5_000), maxBytes: 1024 * 1024 },
  { writers: 4, each: sized(1_000, 25_000), maxBytes: 4_000 },
];

test.each(crowds)(
  "$writers processes append $each records each: every line valid, order per writer kept, no splice",
  async ({ writers, each, maxBytes }) => {
    const root = await tempFolder();
    await openStore({ root, version: "1" });
    const names = Array.from({ length: writers }, (_, n) => `w${n}`);
    const programs = names.map((name, n) => {
      const args = [root, id, name, String(each), String(maxBytes), String(n + 1)];
      return startFixture(join(import.meta.dirname, "fixtures", "store-writer.mjs"), args);
    });
    for (const program of programs) program.stdout.resume();
    await Promise.all(programs.map(endOf));
    const next = new Map(names.map((name) => [name, 0]));
    const uuids = new Set<unknown>();
    for await (const line of createInterface({
      input: createReadStream(join(root, "projects", "-home-dev-project", `${id}.jsonl`)),
    })) {
      const { writer, n, uuid } = JSON.parse(line) as { writer: string; n: number; uuid: string };
      expect([writer, n]).toEqual([writer, next.get(writer)]);
      next.set(writer, n + 1);
      uuids.add(uuid);
    }
    expect([...next.values()]).toEqual(names.map(() => each));
    expect(uuids.size).toBe(writers * each);
  },
  3_600_000,
);

const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.skipIf(!canMount)(
  "on a full disk of 1 MB records are refused, those acknowledged are there, and it continues once there is room",
  async () => {
    const root = await tempFolder();
    const script = join(import.meta.dirname, "fixtures", "full-disk.mjs");
    const command = `mount -t tmpfs -o size=1m,mode=700 none "${root}" && exec "${process.execPath}" "${script}" "${compiled}" "${root}"`;
    const { stdout, stderr } = spawnSync("unshare", ["-rm", "sh", "-c", command], { encoding: "utf8" });
    expect([stderr, JSON.parse(stdout || "{}")]).toEqual([
      "",
      { refused: ["ENOSPC"], someWereWritten: true, linesWhenFull: true, allThere: true, last: "after" },
    ]);
  },
);

test("at a size limit the record is refused, and the file is valid", async () => {
  const root = await tempFolder();
  await openStore({ root, version: "1" });
  const script = join(import.meta.dirname, "fixtures", "store-writer.mjs");
  const command = `ulimit -f 64; exec "${process.execPath}" "${script}" "${compiled}" "${root}" ${id} w0 200 9000 3`;
  const run = spawnSync("bash", ["-c", command], { encoding: "utf8" });
  expect([run.status === 0, run.stderr.includes("EFBIG")]).toEqual([false, true]);
  const file = join(root, "projects", "-home-dev-project", `${id}.jsonl`);
  const lines = (await readFile(file, "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  const uuids = lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid);
  const acknowledged = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[2]);
  expect(uuids).toEqual(expect.arrayContaining(acknowledged));
  await (await (await openStore({ root, version: "1" })).open({ id, cwd })).append(said("after"));
  expect((await itemsOf(file)).filter(({ kind }) => kind === "unreadable")).toEqual([]);
});
