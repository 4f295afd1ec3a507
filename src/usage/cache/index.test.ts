import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { firstLine, startProgram } from "../../files/fixtures/programs.ts";
import { takeLock } from "../../files/index.ts";
import { findTranscripts, sqliteDriver } from "../../sessions/index.ts";
import { name, openIndexed, reportsOf, settled } from "../fixtures/indexed-world.ts";
import { answer, prompt, textOf, tokens, type World } from "../fixtures/world.ts";
import { openPrices } from "../prices/table.ts";
import { scanAll } from "../scan-all.ts";
import { databaseName } from "./database.ts";
import { indexedLedger, manifestName } from "./indexed.ts";

/** Something a client, a person or a crash does to transcripts. */
type Step =
  | { readonly do: "append" | "torn"; readonly file: number; readonly call: number; readonly agent: boolean }
  | { readonly do: "fork"; readonly file: number; readonly to: number }
  | { readonly do: "cut" | "replace" | "delete" | "archive" | "touch"; readonly file: number };

const file = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("append" as const), file, call: fc.nat(9), agent: fc.boolean() }),
  },
  fc.record({ do: fc.constant("torn" as const), file, call: fc.nat(9), agent: fc.boolean() }),
  fc.record({ do: fc.constant("fork" as const), file, to: file }),
  fc.record({ do: fc.constantFrom("cut", "replace", "delete", "archive", "touch"), file }),
);

let clock = Date.parse("2026-10-01T00:00:00Z");

function take(world: World, what: Step): void {
  const folder = join(world.root, "projects", "-w");
  mkdirSync(folder, { recursive: true });
  const main = join(folder, `${name(what.file)}.jsonl`);
  const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  switch (what.do) {
    case "append":
    case "torn": {
      const agent = `a000000000000000${what.file}`;
      const path = what.agent ? join(folder, name(what.file), "subagents", `agent-${agent}.jsonl`) : main;
      mkdirSync(dirname(path), { recursive: true });
      clock += 3_600_000;
      const line = textOf(
        answer({
          // Few ids, so that files share calls; more output each time, so that records are improved on.
          id: `msg_${what.call}`,
          request: `req_${what.call}`,
          at: new Date(clock).toISOString(),
          usage: tokens(10, what.call + (clock % 7)),
          session: name(what.file),
          ...(what.agent ? { agent } : {}),
        }),
      );
      appendFileSync(path, what.do === "torn" ? line.slice(0, 200 + (clock % line.length)) : `${line}\n`);
      return;
    }
    case "fork":
      if (!exists(main) || what.to === what.file) return;
      writeFileSync(
        join(folder, `${name(what.to)}.jsonl`),
        readFileSync(main, "utf8").replaceAll(name(what.file), name(what.to)),
      );
      return;
    case "cut":
      if (exists(main)) truncateSync(main, Math.floor(statSync(main).size / 2));
      return;
    case "replace":
      if (!exists(main)) return;
      writeFileSync(`${main}.new`, `${textOf(prompt("anew", { sessionId: name(what.file) }))}\n`);
      renameSync(`${main}.new`, main);
      return;
    case "delete":
      rmSync(main, { force: true });
      return;
    case "archive":
      if (!exists(main)) return;
      writeFileSync(`${main}.gz`, gzipSync(readFileSync(main)));
      rmSync(main);
      return;
    case "touch":
      if (exists(main)) utimesSync(main, new Date(), new Date(clock));
      return;
  }
}

test("with an index the answer is that of a fresh scan, after every step of any history", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 12 }),
      fc.constantFrom(0, 1e9),
      async (steps, cheapBytes) => {
        const world = openIndexed();
        for (const what of steps) {
          take(world, what);
          const ledger = await world.indexed({ cheapBytes });
          expect(reportsOf(ledger)).toEqual(await world.fresh());
          expect(ledger.notes).toEqual([]);
        }
      },
    ),
    { numRuns: Number(process.env["HOOKLINE_RUNS"] ?? 12) },
  );
});

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
  expect(databaseName()).toBe(`usage-1-${sqliteDriver()}.db`);
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
  // The files are gone from the disk while the index is asked: only what it keeps can answer.
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

test("who does not get the lock reads in memory, answers, and writes nothing", async () => {
  const world = settled();
  await world.indexed();
  const lock = await takeLock(join(world.folder, "usage"));
  if (!lock.held) throw new Error("nobody else has it");
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

test("twenty runs at once give twenty equal answers", async () => {
  const world = settled();
  const runner = "../../usage/fixtures/report-runner.mjs";
  const { rows, totals } = await world.report();
  const programs = Array.from({ length: 20 }, () => startProgram(runner, world.root, world.home));
  const answers = await Promise.all(programs.map(firstLine));
  expect(new Set(answers)).toEqual(new Set([JSON.stringify({ rows, totals })]));
});
