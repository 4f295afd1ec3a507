import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findSession, forkNotePath, forkSession } from "../../sessions/internal.ts";
import { answer, copyOf, one, openWorld, two, type Wire } from "../fixtures/world.ts";
import { spent } from "../internal.ts";

/** Whose call it is when several files hold it. */

const agent = "a0123456789abcdef";

test("a main line beats a sidechain's, which beats a copy; the split shows it", async () => {
  const world = openWorld();
  world.write(`${one}.jsonl`, [answer(), copyOf(answer({ id: "msg_2", request: "req_2" }), agent)]);
  const side = { agent, at: "2026-10-05T09:00:00.000Z" };
  world.write(`${one}/subagents/agent-${agent}.jsonl`, [
    answer({ ...side, request: "req_9" }),
    answer({ ...side, id: "msg_2", request: "req_2" }),
  ]);
  const [row] = (await world.report({ report: "session" })).rows;
  expect(row?.main).toMatchObject({ calls: 1, costMicroUsd: 2_550 });
  expect(row?.agents).toMatchObject({ calls: 1, costMicroUsd: 2_550 });
  expect(row?.byAgent).toMatchObject([{ agentId: agent, calls: 1 }]);
});

test("among equals the owner is the session that the other names, else the one that began first, else the first path", async () => {
  const owners = async (first: Wire[], second: Wire[]) => {
    const world = openWorld();
    world.write(`${one}.jsonl`, first);
    world.write(`${two}.jsonl`, second);
    const { rows } = await world.report({ report: "session" });
    return rows.map(({ sessionId, calls }) => [sessionId, calls]);
  };
  const early = "2026-10-05T08:00:00.000Z";
  // Named: by snake-case session_id, or by forkedFrom as text or object, however early its lines say they are.
  for (const more of [{ session_id: two }, { forkedFrom: two }, { forkedFrom: { sessionId: two } }])
    expect(await owners([answer({ at: early, more })], [answer({ session: two })])).toEqual([[two, 1]]);
  // Begun first, by any line's time.
  expect(await owners([answer()], [{ type: "queue-operation", timestamp: early }, answer({ session: two })])).toEqual([
    [two, 1],
  ]);
  expect(await owners([answer()], [answer({ session: two })])).toEqual([[one, 1]]);
});

test("a session that was forked keeps its calls, also when the fork began at the same moment and its path comes first", async () => {
  const world = openWorld();
  world.write(`${two}.jsonl`, [answer({ session: two })]);
  await world.report({ index: true });
  const place = await findSession(two, { roots: [world.root], cwd: "/" });
  const fork = await forkSession(place, { id: one });
  await forkSession(fork, { id: "00000000-0000-4000-8000-000000000000" });
  for (const index of [false, true, true]) {
    const { rows } = await world.report({ report: "session", index });
    expect(rows.map(({ sessionId, calls }) => [sessionId, calls])).toEqual([[two, 1]]);
  }
  const options = { roots: [world.root], env: { HOOKLINE_HOME: join(world.home, "other") } };
  expect((await spent({ session: two }, options)).calls).toBe(1);
  expect((await spent({ session: one }, options)).calls).toBe(0);
  // As an archive holds them.
  for (const path of [place.file, fork.file, forkNotePath(fork)]) {
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
    rmSync(path);
  }
  rmSync(join(place.folder, "00000000-0000-4000-8000-000000000000.jsonl"));
  const { rows } = await world.report({ report: "session" });
  expect(rows.map(({ sessionId, calls }) => [sessionId, calls])).toEqual([[two, 1]]);
});

test("totals do not depend on the owner, nor on roots and archives that hold the same call again", async () => {
  const world = openWorld();
  const other = openWorld();
  world.write(`${one}.jsonl`, [answer()]);
  other.write(`${two}.jsonl`, [answer({ session: two }), answer({ id: "msg_2", request: "req_2", session: two })]);
  const both = await world.report({ roots: [world.root, other.root] });
  const turned = await world.report({ roots: [other.root, world.root] });
  expect(both.totals).toMatchObject({ calls: 2, costMicroUsd: 5_100 });
  expect(turned.totals).toEqual(both.totals);
});

test("a side question that repeats the main answer under another request counts once, for the main thread", async () => {
  const world = openWorld();
  world.write(`${one}.jsonl`, [answer()]);
  world.write(`${one}/subagents/agent-${agent}.jsonl`, [answer({ agent, request: "req_2" })]);
  const [row] = (await world.report({ report: "session" })).rows;
  expect([row?.calls, row?.main.calls, row?.agents.calls]).toEqual([1, 1, 0]);
});
