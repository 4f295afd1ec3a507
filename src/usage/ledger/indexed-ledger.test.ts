import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takeLock } from "../../files/internal.ts";
import { findTranscripts } from "../../sessions/internal.ts";
import { name, reportsOf, settled } from "../fixtures/indexed-world.ts";
import { answer, textOf } from "../fixtures/world.ts";
import { openPrices } from "../prices/price-table.ts";
import { manifestName } from "./index-files.ts";
import { indexedLedger } from "./indexed-ledger.ts";
import { scanAll } from "./ledger.ts";

test("a run that finds nothing changed uses the manifest alone", async () => {
  const world = settled();
  const first = await world.indexed();
  expect(readdirSync(world.folder).sort()).toEqual(["live", manifestName]);
  rmSync(join(world.folder, "live"), { recursive: true });
  const manifest = statSync(join(world.folder, manifestName));
  const second = await world.indexed();
  expect([second.from, second.notes]).toEqual(["index", []]);
  expect(reportsOf(second)).toEqual(reportsOf(first));
  expect(statSync(join(world.folder, manifestName)).ino).toBe(manifest.ino);
  expect(readdirSync(world.folder)).toEqual([manifestName]);
});

test("the calls of a transcript are kept only when it is long", async () => {
  const world = settled();
  await world.indexed({ keepOver: 1e9 });
  expect(readdirSync(world.folder)).toEqual([manifestName]);
});

test("the files are ours alone", async () => {
  const world = settled();
  await world.indexed();
  const files = readdirSync(world.folder, { withFileTypes: true, recursive: true });
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const mode = file.isDirectory() ? 0o700 : 0o600;
    expect(statSync(join(file.parentPath, file.name)).mode & 0o777, file.name).toBe(mode);
  }
  expect(statSync(world.folder).mode & 0o777).toBe(0o700);
});

test("new prices are computed from what is kept: no transcript is read again", async () => {
  const world = settled();
  await world.indexed();
  const table = join(world.root, "prices.json");
  const per = { input: "1", write5m: "1", write1h: "1", cacheRead: "1", output: "1" };
  writeFileSync(table, JSON.stringify({ rows: [{ models: ["claude-opus-5"], prices: per, source: "s", read: "r" }] }));
  const cheaper = openPrices(table);
  const found = findTranscripts([{ path: world.root, origin: "client" }]);
  const fresh = await scanAll(found, cheaper);
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
  };
  const ledger = await indexedLedger(found, cheaper, { folder: world.folder, onBytes });
  expect(bytes).toBe(0);
  expect(reportsOf(ledger)).toEqual(reportsOf(fresh));
});

test("what has vanished is forgotten; --rescan and no index at all give the same", async () => {
  const world = settled();
  await world.indexed();
  rmSync(join(world.root, "projects", "-w", `${name(1)}.jsonl`));
  const ledger = await world.indexed();
  expect(ledger.files.map(({ session }) => session)).toEqual([name(2), name(3)]);
  expect(reportsOf(ledger)).toEqual(await world.fresh());
  expect(reportsOf(await world.indexed({ rescan: true }))).toEqual(await world.fresh());
});

test("a run that does not get the lock reads in memory, reports, and writes nothing", async () => {
  const world = settled();
  await world.indexed();
  const lock = await takeLock(join(world.folder, "usage"));
  if (!lock.held) throw new Error("the lock is taken");
  const content = () =>
    readdirSync(world.folder, { withFileTypes: true, recursive: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name: file }) => [file, readFileSync(join(parentPath, file))]);
  const before = content();
  appendFileSync(
    join(world.root, "projects", "-w", `${name(3)}.jsonl`),
    `${textOf(answer({ id: "msg_9", request: "req_9" }))}\n`,
  );
  const ledger = await world.indexed();
  expect([ledger.from, ledger.notes]).toEqual(["scan", []]);
  expect(reportsOf(ledger)).toEqual(await world.fresh());
  expect(content()).toEqual(before);
  await lock.release();
  expect(await world.indexed()).toMatchObject({ from: "index", notes: [] });
});
