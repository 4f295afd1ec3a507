import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sized } from "../../../test/size.ts";
import { atEveryOperation, type Fault, shortStride } from "../../files/fixtures/faulty-fs.ts";
import { name, now, prices, reportsOf, settled } from "../fixtures/indexed-world.ts";
import { killRuns } from "../fixtures/kill-runs.ts";
import { answer, textOf } from "../fixtures/world.ts";
import { makeReport } from "../reports/build-report.ts";
import { manifestName, rulesVersion } from "./index-files.ts";

/** How many places of a file are damaged, one after the other. */
const places = sized(6, 60);

test("a manifest cut or flipped anywhere is discarded, rebuilt and reported", async () => {
  const world = settled();
  await world.indexed();
  const path = join(world.folder, manifestName);
  const whole = readFileSync(path);
  const fresh = await world.fresh();
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / places)) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] ?? 0) ^ 0x10;
    for (const damaged of [flipped, whole.subarray(0, at)]) {
      writeFileSync(path, damaged);
      const { notes, ...ledger } = await world.indexed({ keepOver: 1e9 });
      expect(reportsOf({ ...ledger, notes: [] }), String(at)).toEqual(fresh);
      expect(notes.join(), String(at)).toMatch(/discarded and rebuilt/);
      expect(reportsOf(await world.indexed())).toEqual(fresh);
    }
  }
  expect(readdirSync(world.folder).filter((file) => file.endsWith(".broken"))).toEqual([`${manifestName}.broken`]);
});

test("what is kept of a transcript, cut or flipped anywhere, costs time, never a figure", async () => {
  const world = settled();
  await world.indexed();
  const manifest = readFileSync(join(world.folder, manifestName));
  const grown = join(world.root, "projects", "-w", `${name(1)}.jsonl`);
  appendFileSync(grown, `${textOf(answer({ id: "msg_9", request: "req_9" }))}\n`);
  const fresh = await world.fresh();
  const kept = readdirSync(join(world.folder, "live")).map((file) => join(world.folder, "live", file));
  const contents = kept.map((path) => readFileSync(path));
  for (let part = 0; part < places; part++) {
    const damagers = [
      (whole: Buffer, at: number) => whole.fill((whole[at] ?? 0) ^ 0x10, at, at + 1),
      (whole: Buffer, at: number) => whole.subarray(0, at),
    ];
    for (const damage of damagers) {
      kept.forEach((path, index) => {
        const whole = Buffer.from(contents[index] ?? "");
        writeFileSync(path, damage(whole, Math.floor((whole.length * part) / places)));
      });
      writeFileSync(join(world.folder, manifestName), manifest);
      expect(reportsOf(await world.indexed()), String(part)).toEqual(fresh);
      expect(reportsOf(await world.indexed()), String(part)).toEqual(fresh);
    }
  }
});

test.each(["error", "stuck", "kill"] as const satisfies readonly Fault[])(
  "with a fault (%s) at every file operation of the index the answer stays right, then and afterwards",
  async (fault) => {
    const count = await atEveryOperation(
      fault,
      async (strike) => {
        const world = settled();
        expect(reportsOf(await world.indexed({ fs: strike().fs }))).toEqual(await world.fresh());
        appendFileSync(
          join(world.root, "projects", "-w", `${name(3)}.jsonl`),
          `${textOf(answer({ id: "msg_9", request: "req_9" }))}\n`,
        );
        expect(reportsOf(await world.indexed())).toEqual(await world.fresh());
      },
      shortStride,
    );
    expect(count).toBeGreaterThan(10);
  },
);

test("a manifest of other rules is discarded, rebuilt and reported", async () => {
  const world = settled();
  const fresh = await world.fresh();
  await world.indexed();
  const path = join(world.folder, manifestName);
  const body = readFileSync(path).subarray(0, -32);
  const older = Buffer.from(body.toString("latin1").replace(`"rules":${rulesVersion}`, '"rules":0'), "latin1");
  writeFileSync(path, Buffer.concat([older, createHash("sha256").update(older).digest()]));
  const ledger = await world.indexed();
  expect(reportsOf(ledger)).toEqual(fresh);
  expect(ledger.notes).toEqual(["the index was outdated: it was discarded and rebuilt"]);
  const report = makeReport("daily", ledger, { timezone: "UTC", now }, prices);
  expect(report.warnings.map(({ code }) => code)).toEqual(["index"]);
  expect(await world.indexed()).toMatchObject({ from: "index", notes: [] });
});

test("killed at any moment, the next run is right and nothing is left behind", async () => {
  await killRuns(settled(), sized(20, 500));
});
