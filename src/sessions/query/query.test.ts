import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answer,
  attachment,
  prompt,
  recorded,
  result,
  sidechain,
  toolUse,
  type Wire,
  write,
} from "../fixtures/transcript.ts";
import type { Entry } from "../model/entry.ts";
import { openSession, type Session } from "../session.ts";
import type { Query, QueryElement } from "./query.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-query-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string, id?: string): Promise<Session> => {
  const file = readdirSync(join(recorded, name)).find((one) => one.endsWith(".jsonl") && one.startsWith(id ?? ""));
  return openSession(join(recorded, name, file ?? ""));
};

async function made(lines: readonly (Wire | string)[]): Promise<Session> {
  return openSession(write(join(folder, "s1.jsonl"), lines), { now: () => Date.parse("2026-06-01T00:00:00Z") });
}

const lines = (elements: readonly Entry[]) => elements.map(({ line, offset }) => (line > 0 ? line : `@${offset}`));

test("each step selects what its name says, and the element type follows", async () => {
  const session = await fixture("i-permission-hooks-interactive");
  const query = session.query();
  expect(await query.count()).toBe(111);
  expect(await query.users().count()).toBe(11);
  expect(await query.users({ all: true }).count()).toBe(32);
  expect(await query.assistants().count()).toBe(19);
  expect(await query.tools().count()).toBe(9);
  expect((await query.tool("Bash").errors().all()).map(({ status }) => status)).toEqual([
    "denied",
    "interrupted",
    "interrupted",
  ]);
  expect(await query.tool("B*h").count()).toBe(9);
  expect(await query.tool(/^read$/i).count()).toBe(0);
  expect(await query.attachments("hook_permission_decision").count()).toBe(4);
  expect(await query.system("turn_duration").count()).toBe(10);
  expect(await query.hooks().count()).toBe(5);
  expect(await query.hooks("PermissionRequest").count()).toBe(4);
  expect(await query.assistants().withTools().count()).toBe(9);
  expect(await query.assistants().withText().count()).toBe(10);
  expect(await query.assistants().withThinking().exists()).toBe(false);
  expect(await query.assistants().model("claude-opus-*").count()).toBe(19);
  expect(await query.tools().matching("MKFIFO").count()).toBe(6);
  expect(
    await query
      .tools()
      .matching(/mkfifo [AB]/)
      .count(),
  ).toBe(2);
  expect(
    await query
      .tools()
      .where(({ name, input }) => name === "Bash" && JSON.stringify(input).includes("echo"))
      .count(),
  ).toBe(2);
  expect((await query.turn(2).tools().all()).map(({ id }) => id)).toEqual(["toolu_fake_000007"]);
  expect((await query.turn(-1).users().first())?.line).toBe(103);
  const groups = await query.tools().groupBy(({ status }) => status);
  expect([...groups].map(([status, tools]) => [status, tools.length])).toEqual([
    ["ok", 6],
    ["denied", 1],
    ["interrupted", 2],
  ]);
});

test("queries are immutable: a step leaves the query it was made from as it was", async () => {
  const all = (await fixture("a-plain")).query().tools();
  const errors = all.errors();
  expect([await all.count(), await errors.count(), await all.count()]).toEqual([7, 1, 7]);
});

test("skip, limit and reverse apply in the order of the calls, and iteration gives what all() gives", async () => {
  const query = (await fixture("a-plain")).query().tools();
  const names = async (one: Query<QueryElement & { name: string }>) => (await one.all()).map(({ name }) => name);
  const all = ["Bash", "Read", "Edit", "Write", "TaskCreate", "TaskUpdate", "Bash"];
  expect(await names(query)).toEqual(all);
  expect(await names(query.skip(2).limit(2))).toEqual(["Edit", "Write"]);
  expect(await names(query.limit(2).skip(1))).toEqual(["Read"]);
  expect(await names(query.reverse().limit(2))).toEqual(["Bash", "TaskUpdate"]);
  expect(await names(query.limit(3).reverse())).toEqual(["Edit", "Read", "Bash"]);
  expect(await names(query.limit(0))).toEqual([]);
  expect([(await query.first())?.id, (await query.last())?.id, (await query.limit(2).last())?.name]).toEqual([
    "toolu_fake_000002",
    "toolu_fake_000018",
    "Read",
  ]);
  const seen: string[] = [];
  for await (const { name } of query) seen.push(name);
  expect(seen).toEqual(all);
});

test('agents() selects agents, and including("agents") adds their entries', async () => {
  const query = (await fixture("b-subagent")).query();
  expect((await query.agents().all()).map(({ linkedBy }) => linkedBy)).toEqual(["meta", "meta", "meta"]);
  expect(await query.agents({ depth: 0 }).count()).toBe(0);
  expect([await query.assistants().count(), await query.assistants().including("agents").count()]).toEqual([4, 9]);
  expect([await query.tools().count(), await query.including("agents").tools().count()]).toEqual([4, 6]);
  expect(await query.including("agents").users().count()).toBe(4);
});

test("since and until take dates, ISO text, spans and uuids, both ends included", async () => {
  const at = (hour: number) => ({ timestamp: `2026-05-31T${String(hour).padStart(2, "0")}:00:00.000Z` });
  const p = prompt(null, "one", at(20));
  const q = prompt(p, "two", at(21));
  const r = prompt(q, "three", at(22));
  const bare = { type: "mode", mode: "x", sessionId: "s1" };
  const query = (await made([p, bare, q, r])).query().entries();
  expect(lines(await query.since("2h").all())).toEqual([4]);
  expect(lines(await query.since("3h").all())).toEqual([3, 4]);
  expect(lines(await query.since(new Date("2026-05-31T21:00:00Z")).until("2026-05-31T21:30:00Z").all())).toEqual([3]);
  expect(lines(await query.since(q["uuid"] as string).all())).toEqual([3, 4]);
  expect(lines(await query.until(q["uuid"] as string).all())).toEqual([1, 2, 3]);
  for (const noTime of ["yesterday", new Date("yesterday")])
    await expect(query.since(noTime).all()).rejects.toMatchObject({ code: "sessions/bad-time" });
});

test("errors are tool errors, API errors and failed hooks", async () => {
  const p = prompt(null, "go");
  const use = answer(p, [toolUse("t1")], { stop: "tool_use" });
  const bad = result(use, "t1", "no", {}, { is_error: true });
  const hook = attachment(bad, { type: "hook_error_during_execution", hookEvent: "PostToolUse" });
  const fine = attachment(hook, { type: "hook_success", hookEvent: "PostToolUse" });
  const api = answer(fine, "API Error", { model: "<synthetic>" }, { isApiErrorMessage: true });
  expect(lines(await (await made([p, use, bad, hook, fine, api])).query().errors().all())).toEqual([3, 4, 6]);
});

describe("branches in queries", () => {
  const world = () => {
    const p = prompt(null, "go");
    const a = answer(p, "one");
    const old = prompt(a, "old way");
    const gone = answer(old, "old");
    const next = prompt(a, "new way");
    const b = answer(next, "new");
    return { lines: [p, a, old, gone, next, b, { type: "mode", mode: "x", sessionId: "s1" }], old, gone };
  };

  test("the active branch is the default, all lines or another branch are given on request", async () => {
    const { lines: wires, gone } = world();
    const session = await made(wires);
    expect(lines(await session.query().all())).toEqual([1, 2, 5, 6, 7]);
    expect(lines(await session.query().branch("all").all())).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(
      lines(
        await session
          .query()
          .branch(gone["uuid"] as string)
          .users()
          .all(),
      ),
    ).toEqual([1, 3]);
    await expect(session.query().branch("nowhere").all()).rejects.toMatchObject({ code: "sessions/no-branch" });
  });

  test("asked from the back, the same lines come out", async () => {
    const { lines: wires } = world();
    const fresh = async () => (await made(wires)).query();
    const offsets = async (query: Query<Entry>) => (await query.all()).map(({ offset }) => offset);
    expect(await offsets((await fresh()).reverse())).toEqual((await offsets(await fresh())).reverse());
    expect((await (await fresh()).users().last())?.offset).toBe((await (await fresh()).users().all()).at(-1)?.offset);
  });
});

test("a query over every line of an unloaded session stops reading when its answer is certain", async () => {
  const first = prompt(null, "go");
  const padding = Array.from({ length: 3000 }, (_, index) =>
    JSON.stringify({ type: "mode", mode: `${index}${"x".repeat(2000)}`, sessionId: "s1" }),
  );
  const last = prompt(first, "the end");
  const session = await made([first, ...padding, last]);
  const handle = await open(session.place.file, "r");
  const proto = Object.getPrototypeOf(handle) as { read: (...args: unknown[]) => Promise<{ bytesRead: number }> };
  await handle.close();
  const { read } = proto;
  let bytes = 0;
  proto.read = async function (this: unknown, ...args: unknown[]) {
    const answered = await read.apply(this, args);
    bytes += answered.bytesRead;
    return answered;
  };
  try {
    expect((await session.query().branch("all").users().first())?.uuid).toBe(first["uuid"]);
    expect(bytes).toBeLessThan(1_100_000);
    bytes = 0;
    expect((await session.query().branch("all").users().last())?.uuid).toBe(last["uuid"]);
    expect(bytes).toBeLessThan(300_000);
    bytes = 0;
    expect((await session.query().users().last())?.uuid).toBe(last["uuid"]);
    expect(bytes).toBeLessThan(300_000);
    expect(session.loaded).toBe(false);
  } finally {
    proto.read = read;
  }
});

test("agents' lines inside an old main file are not the session's, however it is read", async () => {
  const p = prompt(null, "go");
  const side = { ...prompt(null, "inside"), isSidechain: true };
  const session = await made([p, side, sidechain("a", answer(side, "x")), answer(p, "done")]);
  expect(lines(await session.query().branch("all").all())).toEqual([1, 4]);
  await session.load();
  expect(lines(await session.query().branch("all").all())).toEqual([1, 4]);
});

test.each<[string, (query: Loose) => unknown, string]>([
  ["limit(NaN)", (query) => query["limit"]?.(Number.NaN).all(), "limit must be a whole number from 0 on, not NaN."],
  ["limit('2')", (query) => query["limit"]?.("2").all(), 'limit must be a whole number from 0 on, not "2".'],
  ["limit()", (query) => query["limit"]?.().all(), "limit must be a whole number from 0 on, not undefined."],
  ["skip(-1)", (query) => query["skip"]?.(-1).all(), "skip must be a whole number from 0 on, not -1."],
  [
    "turn(0)",
    (query) => query["turn"]?.(0).all(),
    "turn must be a whole number: 1 is the first turn, -1 the last, not 0.",
  ],
  ["turn()", (query) => query["turn"]?.().all(), "1 is the first turn, -1 the last, not undefined."],
  ["groupBy('name')", (query) => query["groupBy"]?.("name"), 'groupBy must be a function, not "name".'],
  ["where('x')", (query) => query["where"]?.("x").all(), 'where must be a function, not "x".'],
  ["tool()", (query) => query["tool"]?.().all(), "tool must be a string or a regular expression, not undefined."],
  ["model(5)", (query) => query["model"]?.(5).all(), "model must be a string or a regular expression, not 5."],
  [
    "matching({})",
    (query) => query["matching"]?.({}).all(),
    "matching must be a string or a regular expression, not {}.",
  ],
  ["branch()", (query) => query["branch"]?.().all(), "branch must be a string, not undefined."],
  ["including('x')", (query) => query["including"]?.("x").all(), 'including must be "agents", not "x".'],
  ["agents({ depth: NaN })", (query) => query["agents"]?.({ depth: Number.NaN }).all(), "depth must be a whole number"],
])("a query refuses %s", async (_, ask, message) => {
  const query = (await made([prompt(null, "one")])).query() as unknown as Loose;
  const asked = Promise.resolve().then(() => ask(query));
  await expect(asked).rejects.toMatchObject({ code: "sessions/option", message: expect.stringContaining(message) });
});

/** As a program without types sees it. */
type Loose = Record<string, (value?: unknown) => { all(): unknown }>;
