import { appendFileSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findTranscripts } from "../../sessions/internal.ts";
import { answer, one, openWorld, textOf, tokens, two, type World } from "../fixtures/world.ts";
import { spent } from "../internal.ts";
import { openPrices } from "../prices/price-table.ts";
import { makeReport } from "../reports/build-report.ts";
import { pruneKept } from "./index-files.ts";
import { indexedLedger } from "./indexed-ledger.ts";
import { type Ledger, scanAll } from "./ledger.ts";
import { liveLedger } from "./live-ledger.ts";

const prices = openPrices();
const agent = "a0123456789abcdef";

function call(number: number, more: Parameters<typeof answer>[0] = {}): string {
  return `${textOf(answer({ id: `msg_${number}`, request: `req_${number}`, ...more }))}\n`;
}

function rowsOf(ledger: Ledger): unknown {
  return makeReport("session", ledger, { timezone: "UTC" }, prices).rows.map(({ sessionId, main, agents }) => ({
    sessionId,
    main,
    agents,
  }));
}

const filesOf = (world: World) => findTranscripts([{ path: world.root, origin: "client" }]);

/** Two sessions, one with an agent, known to an index. */
async function indexed(): Promise<World & { readonly folder: string; readonly main: string }> {
  const world = openWorld();
  const main = world.write(`${one}.jsonl`, []);
  writeFileSync(main, call(1) + call(2));
  world.write(`${one}/subagents/agent-${agent}.jsonl`, [answer({ id: "msg_3", request: "req_3", agent })]);
  world.write(`${two}.jsonl`, [
    answer({ id: "msg_4", request: "req_4", session: two, at: "2026-09-30T10:00:00.000Z" }),
  ]);
  const folder = join(world.home, "usage");
  await indexedLedger(filesOf(world), prices, { folder });
  return { ...world, folder, main };
}

test("what is new in a session and what the last report knew of all others give the figures of a fresh scan", async () => {
  const { folder, main, ...world } = await indexed();
  const own = () => filesOf(world).filter(({ path }) => path.includes(one));
  const pad = { pad: "x".repeat(3000) };
  for (let round = 0; round < 6; round++) {
    // An interim line, the end of the call before it, a call that another session holds, and enough to be worth keeping.
    appendFileSync(main, call(10 + round, { stop: null, usage: tokens(10, 1) }));
    if (round > 0) appendFileSync(main, call(9 + round));
    if (round === 2) appendFileSync(main, call(4));
    for (let index = 0; index < 100; index++) appendFileSync(main, call(1000 + round * 100 + index, { more: pad }));
    const live = await liveLedger(own(), prices, { folder });
    expect(live.isWhole).toBe(true);
    expect(rowsOf(live)).toEqual(rowsOf(await scanAll(filesOf(world), prices)));
  }
  expect(readdirSync(join(folder, "live"))).toHaveLength(1);
});

test("a session too long to be read in one go shows what the last report knew until it has been", async () => {
  const { folder, main, ...world } = await indexed();
  for (let index = 0; index < 2000; index++)
    appendFileSync(main, call(100 + index, { more: { pad: "x".repeat(1000) } }));
  await indexedLedger(filesOf(world), prices, { folder, rescan: true });
  appendFileSync(main, call(9000));
  const own = filesOf(world).filter(({ path }) => path.includes(one));
  const known = 2002 * 2_550;
  const seen: [number | undefined, boolean][] = [];
  for (let round = 0; round < 8; round++) {
    const live = await liveLedger(own, prices, { folder, maxBytes: 700_000 });
    const rows = rowsOf(live) as { sessionId: string; main: { costMicroUsd: number } }[];
    seen.push([rows.find(({ sessionId }) => sessionId === one)?.main.costMicroUsd, live.isWhole]);
  }
  expect(seen[0]).toEqual([known, false]);
  expect(seen.at(-1)).toEqual([known + 2_550, true]);
  for (const [cost, whole] of seen) expect(cost).toBe(whole ? known + 2_550 : known);
});

test("what was kept of a file that is another one now, or was damaged, is not used", async () => {
  const { folder, main, ...world } = await indexed();
  const own = () => filesOf(world).filter(({ path }) => path.includes(one));
  const fill = () => Array.from({ length: 200 }, (_, index) => call(100 + index, { more: { pad: "x".repeat(3000) } }));
  writeFileSync(main, fill().join(""));
  await liveLedger(own(), prices, { folder });
  const [kept = ""] = readdirSync(join(folder, "live"));
  writeFileSync(main, call(7) + fill().slice(1).join(""));
  expect(rowsOf(await liveLedger(own(), prices, { folder }))).toEqual(rowsOf(await scanAll(filesOf(world), prices)));
  for (const bytes of ["", "x", "x".repeat(5000)]) {
    writeFileSync(join(folder, "live", kept), bytes);
    expect(rowsOf(await liveLedger(own(), prices, { folder }))).toEqual(rowsOf(await scanAll(filesOf(world), prices)));
  }
  const old = new Date(Date.now() - 3 * 86_400_000);
  utimesSync(join(folder, "live", kept), old, old);
  pruneKept(folder, Date.now());
  expect(statSync(join(folder, "live", kept), { throwIfNoEntry: false })).toBeUndefined();
});

test("spent() gives the cost of a session, a day, a month and a project, agents included", async () => {
  const { main, ...world } = await indexed();
  const options = { roots: [world.root], env: { HOOKLINE_HOME: world.home }, timezone: "UTC" };
  const cost = async (on: Parameters<typeof spent>[0]) => (await spent(on, options)).costMicroUsd;
  expect(await cost({ session: one })).toBe(3 * 2_550);
  expect(await cost({ session: two })).toBe(2_550);
  expect(await cost({ session: "nobody" })).toBe(0);
  expect(await cost({ session: one.slice(0, 8) })).toBe(3 * 2_550);
  expect(await cost({ day: "2026-10-05" })).toBe(3 * 2_550);
  expect(await cost({ month: "2026-09" })).toBe(2_550);
  expect(await cost({ month: "2026-10" })).toBe(3 * 2_550);
  expect(await cost({ project: "/home/dev/w" })).toBe(4 * 2_550);
  expect(await cost({ project: "/home/dev/w/" })).toBe(4 * 2_550);
  expect(await cost({ project: "/home/dev/x/../w" })).toBe(4 * 2_550);
  appendFileSync(main, call(9) + call(10).slice(0, 50));
  expect(await cost({ session: one })).toBe(4 * 2_550);
  expect(await cost({ day: "2026-10-05" })).toBe(4 * 2_550);
});

test("an unpriced model makes the figure incomplete, never free", async () => {
  const { main, ...world } = await indexed();
  appendFileSync(main, call(9, { model: "acme-coder-1" }));
  const options = { roots: [world.root], env: { HOOKLINE_HOME: world.home }, timezone: "UTC" };
  expect(await spent({ session: one }, options)).toMatchObject({ calls: 4, costMicroUsd: 3 * 2_550, complete: false });
});

test.skipIf(process.platform === "win32")(
  "a project is known by a link to its directory, and joined with others by either name",
  async () => {
    const { main, ...world } = await indexed();
    const folder = join(world.home, "w");
    mkdirSync(folder, { recursive: true });
    symlinkSync(folder, join(world.home, "link"));
    const id = "99999999-9999-4999-8999-999999999999";
    const other = join(world.root, "projects", "-other");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, `${id}.jsonl`), call(9, { more: { cwd: folder } }));
    const options = { roots: [world.root], env: { HOOKLINE_HOME: world.home } };
    expect((await spent({ project: join(world.home, "link") }, options)).calls).toBe(1);
    writeFileSync(
      join(world.home, "usage.json"),
      JSON.stringify({ projects: { [folder]: "both", "/home/dev/w": "both" } }),
    );
    for (const project of [folder, `${folder}/`, "/home/dev/w", "both"])
      expect([project, (await spent({ project }, options)).calls]).toEqual([project, 5]);
  },
);

test("the beginning of several session ids is refused", async () => {
  const { main, ...world } = await indexed();
  writeFileSync(main.replace(one, `${one.slice(0, -1)}2`), call(9));
  const options = { roots: [world.root], env: { HOOKLINE_HOME: world.home } };
  await expect(spent({ session: one.slice(0, 8) }, options)).rejects.toMatchObject({ code: "usage/session" });
  expect((await spent({ session: one }, options)).calls).toBe(3);
});

test("counts under other names make the figure incomplete, never free", async () => {
  const { main, ...world } = await indexed();
  const odd = { type: "assistant", message: { id: "odd", model: "claude-opus-5", usage: { inputTokens: 1_000 } } };
  writeFileSync(main.replace(one, "odd"), `${JSON.stringify(odd)}\n`);
  const options = { roots: [world.root], env: { HOOKLINE_HOME: world.home } };
  expect(await spent({ session: "odd" }, options)).toMatchObject({ calls: 1, costMicroUsd: 0, complete: false });
});

test("a session or a project that is not found is not one that spent nothing", async () => {
  const { main, ...world } = await indexed();
  const options = { roots: [world.root], env: { HOOKLINE_HOME: world.home } };
  expect(await spent({ session: "elsewhere" }, options)).toMatchObject({ calls: 0, costMicroUsd: 0, complete: false });
  expect(await spent({ project: "/no/such/project" }, options)).toMatchObject({ calls: 0, complete: false });
  expect(await spent({ project: "/home/dev/w" }, options)).toMatchObject({ calls: 4, complete: true });
  for (const on of [{ day: "2020-01-01" }, { month: "2020-01" }] as const)
    expect(await spent(on, options)).toMatchObject({ calls: 0, costMicroUsd: 0, complete: true });
  writeFileSync(main.replace(one, "empty"), "");
  expect(await spent({ session: "empty" }, options)).toMatchObject({ calls: 0, costMicroUsd: 0, complete: true });
});
