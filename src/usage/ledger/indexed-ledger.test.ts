import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takeLock } from "../../files/internal.ts";
import { findTranscripts, sqliteDriver } from "../../sessions/internal.ts";
import { name, reportsOf, settled } from "../fixtures/indexed-world.ts";
import { answer, textOf } from "../fixtures/world.ts";
import { openPrices } from "../prices/price-table.ts";
import { databaseName } from "./call-store.ts";
import { manifestName } from "./index-files.ts";
import { indexedLedger } from "./indexed-ledger.ts";
import { scanAll } from "./ledger.ts";

test("a run that finds nothing changed uses the manifest alone", async () => {
  const world = settled();
  const first = await world.indexed();
  const database = join(world.folder, databaseName());
  expect(readdirSync(world.folder).sort()).toEqual([databaseName(), manifestName].sort());
  rmSync(database);
  const manifest = statSync(join(world.folder, manifestName));
  const second = await world.indexed();
  expect([second.from, second.notes]).toEqual(["index", []]);
  expect(reportsOf(second)).toEqual(reportsOf(first));
  expect(statSync(join(world.folder, manifestName)).ino).toBe(manifest.ino);
  expect(statSync(database, { throwIfNoEntry: false })).toBeUndefined();
});

test("the files are ours alone, and the database is named for its layout and driver", async () => {
  const world = settled();
  await world.indexed();
  expect(databaseName()).toBe(`usage-2-${sqliteDriver()}.db`);
  for (const file of readdirSync(world.folder))
    expect(statSync(join(world.folder, file)).mode & 0o777, file).toBe(0o600);
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
  // The files no longer exist when the index is read: only what it keeps can answer.
  const fresh = await scanAll(found, cheaper);
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
  };
  const ledger = await indexedLedger(found, cheaper, { folder: world.folder, cheapBytes: 0, onBytes });
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
  const before = readdirSync(world.folder).map((file) => readFileSync(join(world.folder, file)));
  appendFileSync(
    join(world.root, "projects", "-w", `${name(3)}.jsonl`),
    `${textOf(answer({ id: "msg_9", request: "req_9" }))}\n`,
  );
  const ledger = await world.indexed();
  expect([ledger.from, ledger.notes]).toEqual(["scan", []]);
  expect(reportsOf(ledger)).toEqual(await world.fresh());
  expect(readdirSync(world.folder).map((file) => readFileSync(join(world.folder, file)))).toEqual(before);
  await lock.release();
  expect(await world.indexed()).toMatchObject({ from: "index", notes: [] });
});

test("a lock folder that a killed driver left is removed under our lock", async () => {
  const world = settled();
  await world.indexed();
  mkdirSync(join(world.folder, `${databaseName()}.lock`));
  rmSync(join(world.folder, manifestName));
  const ledger = await world.indexed();
  expect(ledger.notes).toEqual([]);
  expect(reportsOf(ledger)).toEqual(await world.fresh());
});
