import { chmod, lstat, mkdir, readdir, readFile, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultyFs } from "../../files/fixtures/faulty-fs.ts";
import { namesIn, tempFolder } from "../../files/fixtures/temp-folder.ts";
import { folderName } from "../find/session-roots.ts";
import { placesIn, recordedHome } from "../fixtures/recorded-home.ts";
import { entriesOf, said } from "../fixtures/store-entries.ts";
import type { RecordDraft } from "../formats/claude-code/write-record.ts";
import { missingParts, withLargeParts } from "../parts/restore-large-parts.ts";
import { openStore } from "./session-store.ts";

const cwd = "/home/dev/project";
const id = "11111111-1111-4111-8111-111111111111";
const epoch = Date.parse("2026-01-01T00:00:00.000Z");

test("ids, parents, time and version are set by the store, in the layout and format of Claude Code", async () => {
  const root = await tempFolder();
  let now = epoch;
  const store = await openStore({ root, version: "1.2.3", now: () => now++ });
  const session = await store.open({ id, cwd, gitBranch: "main" });
  const first = await session.append({ ...said("hello"), uuid: "mine", sessionId: "other", version: "9" });
  await session.append({ type: "queue-operation", operation: "enqueue", content: "hello" });
  const second = await session.append({
    type: "assistant",
    message: { id: "m1", role: "assistant", content: [] },
    cwd: "/x",
  });
  const third = await session.append(said("beside"), { parent: first.uuid ?? null, durable: true });
  await store.close();
  const common = { isSidechain: false, userType: "external", entrypoint: "hookline", sessionId: id, version: "1.2.3" };
  const lines = (await readFile(session.file, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      ...common,
      ...said("hello"),
      uuid: first.uuid,
      parentUuid: null,
      cwd,
      gitBranch: "main",
      timestamp: "2026-01-01T00:00:00.000Z",
    },
    {
      type: "queue-operation",
      operation: "enqueue",
      content: "hello",
      sessionId: id,
      timestamp: "2026-01-01T00:00:00.001Z",
    },
    {
      ...common,
      type: "assistant",
      message: { id: "m1", role: "assistant", content: [] },
      uuid: second.uuid,
      parentUuid: first.uuid,
      cwd: "/x",
      gitBranch: "main",
      timestamp: "2026-01-01T00:00:00.002Z",
    },
    {
      ...common,
      ...said("beside"),
      uuid: third.uuid,
      parentUuid: first.uuid,
      cwd,
      gitBranch: "main",
      timestamp: "2026-01-01T00:00:00.003Z",
    },
  ]);
  expect(session.file).toBe(join(root, "projects", "-home-dev-project", `${id}.jsonl`));
  expect((await placesIn(root, "hookline")).map((place) => place.id)).toEqual([id]);
  expect((await entriesOf(session.file)).map(({ kind }) => kind)).toEqual([
    "user",
    "queue-operation",
    "assistant",
    "user",
  ]);
});

test("files are 0600 and folders 0700", async () => {
  const root = join(await tempFolder(), "state", "sessions");
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ cwd });
  await session.append({ ...said("x"), toolUseResult: { stdout: "x".repeat(70_000) } });
  const agent = await session.openAgent("a0123456789abcdef", { agentType: "Explore" });
  await agent.append(said("go"));
  await store.close();
  for (const name of await readdir(root, { recursive: true })) {
    const stat = await lstat(join(root, name));
    expect([name, (stat.mode & 0o777).toString(8)]).toEqual([name, stat.isDirectory() ? "700" : "600"]);
  }
});

test("the store is in the state folder, and not in one that others may write to", async () => {
  const home = await tempFolder();
  const env = { HOOKLINE_HOME: join(home, "state") };
  const session = await (await openStore({ env, version: "1" })).open({ id, cwd });
  expect(session.file).toBe(join(home, "state", "sessions", "projects", "-home-dev-project", `${id}.jsonl`));
  await chmod(join(home, "state"), 0o777);
  await expect(openStore({ env, version: "1" })).rejects.toMatchObject({ code: "file/unsafe" });
});

test("an agent's lines are a thread of their own, with its metadata in a file next to them", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  const agent = await session.openAgent("a0123456789abcdef", { agentType: "Explore", toolUseId: "t1" });
  const first = await agent.append(said("look around"));
  await agent.append({ type: "assistant", message: { id: "m", role: "assistant", content: [] } });
  const again = await session.openAgent("a0123456789abcdef", { agentType: "Explore", toolUseId: "t1" });
  const last = await again.append(said("more"));
  await store.close();
  expect(agent.file).toBe(join(session.folder, "subagents", "agent-a0123456789abcdef.jsonl"));
  const entries = await entriesOf(agent.file);
  expect(
    entries.map((entry) => ({ isSidechain: entry.isSidechain, agentId: entry.agentId, sessionId: entry.sessionId })),
  ).toEqual(entries.map(() => ({ isSidechain: true, agentId: "a0123456789abcdef", sessionId: id })));
  expect([first.record["parentUuid"], last.record["parentUuid"]]).toEqual([null, entries[1]?.uuid]);
  expect(JSON.parse(await readFile(agent.file.replace(".jsonl", ".meta.json"), "utf8"))).toEqual({
    agentType: "Explore",
    toolUseId: "t1",
  });
});

test.each(["../../x", "..%2f", "a/b", "C:\\x", "a\0b", "x".repeat(300), "CON", ""])(
  "%j is not an id, and nothing is touched",
  async (bad) => {
    const root = await tempFolder();
    const store = await openStore({ root, version: "1" });
    const before = await readdir(root, { recursive: true });
    await expect(store.open({ id: bad, cwd })).rejects.toMatchObject({ code: "sessions/unsafe-id" });
    await expect(store.resume(bad, { cwd })).rejects.toMatchObject({ code: "sessions/unsafe-id" });
    await expect(store.fork(bad, { cwd })).rejects.toMatchObject({ code: "sessions/unsafe-id" });
    const session = await store.open({ id, cwd });
    await expect(session.openAgent(bad, {})).rejects.toMatchObject({ code: "sessions/unsafe-id" });
    expect(await readdir(join(root, "projects", "-home-dev-project"))).toEqual([]);
    expect(before).toEqual(["hookline-store.json"]);
  },
);

const ring: Record<string, unknown> = { ...said("x") };
ring["self"] = ring;

/** What a caller without types may hand in. */
const loose = (value: unknown) => value as never;

test.each([null, undefined, 5, [], {}, { type: 5 }, { type: "" }, ring, { ...said("x"), size: 5n }])(
  "a record that is %s is refused with a reason, and the other records are written",
  async (bad) => {
    const store = await openStore({ root: await tempFolder(), version: "1" });
    const session = await store.open({ id, cwd });
    const [before, wrong, after] = await Promise.allSettled([
      session.append(said("before")),
      session.append(loose(bad)),
      session.append(said("after")),
    ]);
    expect(wrong).toMatchObject({ status: "rejected", reason: { code: "sessions/option" } });
    const uuids = [before, after].map((one) => (one.status === "fulfilled" ? one.value.uuid : undefined));
    const entries = await entriesOf(session.file);
    expect(entries.map((entry) => ("uuid" in entry ? [entry.uuid, entry.parentUuid] : []))).toEqual([
      [uuids[0], null],
      [uuids[1], uuids[0]],
    ]);
  },
);

test.each([undefined, null, 5, {}, { cwd: 5 }, { cwd: "" }, { cwd, id: 5 }, { cwd, gitBranch: 5 }])(
  "a store refuses to open, resume or fork a session with %j",
  async (bad) => {
    const root = await tempFolder();
    const store = await openStore({ root, version: "1" });
    await (await store.open({ id, cwd })).append(said("hello"));
    const refusal = { code: "sessions/option" };
    await expect(store.open(loose(bad))).rejects.toMatchObject(refusal);
    await expect(store.resume(id, loose(bad))).rejects.toMatchObject(refusal);
    await expect(store.fork(id, loose(bad))).rejects.toMatchObject(refusal);
    expect(await readdir(join(root, "projects"))).toEqual(["-home-dev-project"]);
  },
);

test("a store refuses ids, agents and options of the wrong type by name", async () => {
  const refusal = { code: "sessions/option" };
  await expect(openStore(loose(undefined))).rejects.toMatchObject(refusal);
  await expect(openStore(loose({ root: await tempFolder() }))).rejects.toThrow("openStore needs the option version.");
  const store = await openStore({ root: await tempFolder(), version: "1" });
  await expect(store.resume(loose(5), { cwd })).rejects.toThrow("id must be a string, not 5.");
  await expect(store.fork(loose(null), { cwd })).rejects.toThrow("source must be an object, not null.");
  const session = await store.open({ id, cwd });
  await expect(session.openAgent(loose(undefined), {})).rejects.toMatchObject(refusal);
  await expect(session.openAgent("a1", loose(undefined))).rejects.toThrow("meta must be an object, not undefined.");
  await expect(session.append(said("x"), loose(null))).rejects.toMatchObject(refusal);
  await expect(session.append(said("x"), { uuid: "" })).rejects.toThrow("uuid of append must be a string that is not");
  for (const parent of [await session.append(said("1")), 5, true, [], {}])
    await expect(session.append(said("x"), loose({ parent }))).rejects.toThrow(
      "The option parent of append must be a string, such as the .uuid of what append returned, or null, not",
    );
  expect((await entriesOf(session.file)).length).toBe(1);
});

test("an empty root is refused, and no store is created in the current directory", async () => {
  const here = process.cwd();
  const folder = await tempFolder();
  try {
    process.chdir(folder);
    await expect(openStore({ root: "", version: "1" })).rejects.toMatchObject({
      code: "sessions/option",
      message: 'The option root of openStore must be the path of a folder, not "".',
    });
  } finally {
    process.chdir(here);
  }
  expect(await readdir(folder)).toEqual([]);
});

test("a project folder that is a link out of the store is not entered", async () => {
  const root = await tempFolder();
  const outside = await tempFolder();
  await mkdir(join(root, "projects"), { mode: 0o700 });
  await symlink(outside, join(root, "projects", "-home-dev-project"));
  const store = await openStore({ root, version: "1" });
  await expect(store.open({ id, cwd })).rejects.toMatchObject({ code: "sessions/unsafe-id" });
  await expect(store.fork((await recordedHome("a-plain")).places[0] ?? id, { cwd })).rejects.toMatchObject({
    code: "sessions/unsafe-id",
  });
  expect(await namesIn(outside)).toEqual([]);
});

test("a session folder that is a link out of the store gets no parts", async () => {
  const root = await tempFolder();
  const outside = await tempFolder();
  const session = await (await openStore({ root, version: "1" })).open({ id, cwd });
  await symlink(outside, session.folder);
  await expect(session.append(said("x".repeat(70_000)))).rejects.toMatchObject({ code: "sessions/unsafe-id" });
  await expect(session.openAgent("a1", {})).rejects.toMatchObject({ code: "sessions/unsafe-id" });
  expect(await namesIn(outside)).toEqual([]);
});

test("large parts are kept in files of their own, and every reader gets them back in their places", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd });
  const output = "ö\n".repeat(40_000);
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: Buffer.alloc(99_000, 5).toString("base64") },
  };
  const drafts: RecordDraft[] = [
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: output }] },
      toolUseResult: { stdout: "short" },
    },
    {
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: output }, image] }],
      },
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "../../t3", content: `${output}!` }] },
      toolUseResult: "Error: x",
    },
    {
      type: "user",
      message: { role: "user", content: [image, { type: "document", title: `${output}?`, source: image.source }] },
    },
    {
      type: "assistant",
      message: {
        id: "m",
        role: "assistant",
        content: [{ type: "tool_use", id: "t4", name: "Write", input: { content: `\ud800${output}` } }],
      },
    },
  ];
  for (const draft of drafts) {
    const { record } = await session.append(draft);
    expect(JSON.stringify(record).length).toBeLessThan(8_000);
    expect(withLargeParts(record, session.file)["message"]).toEqual(draft["message"]);
    expect(missingParts(record, session.file)).toEqual([]);
  }
  await store.close();
  const [first, , third, fourth] = await entriesOf(session.file);
  if (first?.kind !== "user" || third?.kind !== "user" || fourth?.kind !== "user") throw new Error("not user lines");
  const path = join(session.folder, "tool-results", "t1.txt");
  expect(first.toolUseResult).toEqual({
    stdout: "short",
    persistedOutputPath: path,
    persistedOutputSize: Buffer.byteLength(output),
  });
  expect(await readFile(path, "utf8")).toBe(output);
  expect(third.toolUseResult).toBe("Error: x");
  expect(fourth.content.map(({ type }) => type)).toEqual(["image", "document"]);
  expect((await namesIn(join(session.folder, "tool-results"))).every((name) => /^[\w.-]+\.txt$/.test(name))).toBe(true);
});

test("a part that is missing, changed or outside the session is reported and its placeholder stays", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd });
  const { record } = await session.append({ type: "user", message: { role: "user", content: "x".repeat(70_000) } });
  const [blob = ""] = await namesIn(join(session.folder, "blobs"));
  await writeFile(join(session.folder, "blobs", blob), "y".repeat(52_500));
  expect(missingParts(record, session.file)).toEqual([{ file: `blobs/${blob}`, why: "was changed" }]);
  await rm(join(session.folder, "blobs", blob));
  expect(missingParts(record, session.file)).toEqual([
    { file: `blobs/${blob}`, why: expect.stringContaining("ENOENT") },
  ]);
  expect(withLargeParts(record, session.file)).toMatchObject({ message: { content: expect.stringContaining(blob) } });
  for (const file of ["../../../victim", "blobs/../../x", "/etc/passwd", "other/x"]) {
    const hostile = {
      ...record,
      hookline: { parts: [{ at: ["message", "content"], file, as: "text", sizeBytes: 1 }] },
    };
    expect(missingParts(hostile, session.file)).toEqual([{ file, why: "names no file of this session" }]);
  }
});

test("links placed beforehand at the transcript, its lock and its parts are not followed", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const victim = join(await tempFolder(), "victim");
  await writeFile(victim, "mine\n");
  const folder = join(root, "projects", "-home-dev-project");
  await mkdir(join(folder, id), { recursive: true, mode: 0o700 });
  const session = await store.open({ id, cwd });
  for (const path of [`${id}/tool-results`, `${id}.jsonl.lock`, `${id}.jsonl`]) {
    await symlink(victim, join(folder, path));
    const draft = {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x".repeat(70_000) }] },
    };
    await expect(session.append(draft)).rejects.toMatchObject({ code: "file/not-ours" });
    await rm(join(folder, path));
  }
  expect(await readFile(victim, "utf8")).toBe("mine\n");
  await session.append(said("x"));
  expect(await namesIn(folder)).toEqual([id, `${id}.jsonl`]);
});

test("a closed session takes no more, and what was appended before is written", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  const pending = Array.from({ length: 200 }, (_, n) => session.append(said(String(n))));
  await store.close();
  expect((await entriesOf(session.file)).length).toBe(200);
  await Promise.all(pending);
  await expect(session.append(said("late"))).rejects.toMatchObject({ code: "sessions/closed" });
});

test("a closed store opens no session, and what it was opening is refused", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  await session.append(said("one"));
  await session.close();
  const opening = [store.open({ cwd }), store.resume(id, { cwd })];
  const closing = store.close();
  const ended = await Promise.allSettled([...opening, store.open({ cwd }), store.fork(id, { cwd })]);
  await closing;
  expect(ended).toMatchObject(ended.map(() => ({ reason: { code: "sessions/closed" } })));
});

test("a record is written as it was when append was called", async () => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  const draft = { type: "user", message: { role: "user", content: "one" } };
  const options = { uuid: "u1" };
  const first = session.append(draft, options);
  draft.message.content = "two";
  options.uuid = "u2";
  const second = session.append(draft, options);
  Reflect.deleteProperty(draft, "message");
  expect([await first, await second]).toMatchObject([{ uuid: "u1" }, { uuid: "u2" }]);
  const written = (await readFile(session.file, "utf8")).trim().split("\n");
  expect(written.map((line) => JSON.parse(line).message.content)).toEqual(["one", "two"]);
});

test("a torn file can be continued: the newest whole entry is the parent", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const session = await store.open({ id, cwd });
  const first = await session.append(said("one"));
  await session.append(said("two"));
  await session.close();
  await truncate(session.file, (await lstat(session.file)).size - 9);
  const again = await store.open({ id, cwd });
  expect((await again.append({ type: "system", subtype: "informational" })).record["parentUuid"]).toBe(first.uuid);
});

test("a session that is open in a store is not opened a second time, until it is closed", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const message = `Session ${id} is already open in this store. Use the object that opened it, close it with its close(), or close the store.`;
  const refusal = { code: "sessions/already-open", message };
  const [opened, raced] = await Promise.allSettled([store.open({ id, cwd }), store.open({ id, cwd: "/elsewhere" })]);
  expect(raced).toMatchObject({ status: "rejected", reason: refusal });
  if (opened.status === "rejected") throw opened.reason;
  const first = await opened.value.append(said("1"));
  await expect(store.open({ id, cwd })).rejects.toMatchObject(refusal);
  await expect(store.resume(id, { cwd })).rejects.toMatchObject(refusal);
  await opened.value.close();
  const again = await store.resume(id, { cwd });
  await opened.value.close();
  await expect(store.open({ id, cwd })).rejects.toMatchObject(refusal);
  await again.append(
    { type: "assistant", message: { role: "assistant", content: [] } },
    { parent: first.uuid ?? null },
  );
  expect((await entriesOf(again.file)).map((entry) => entry.parentUuid)).toEqual([null, first.uuid]);
});

test("a store that failed to open a session can try again", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  await mkdir(join(root, "projects"), { mode: 0o700 });
  await symlink(await tempFolder(), join(root, "projects", "-home-dev-project"));
  await expect(store.open({ id, cwd })).rejects.toMatchObject({ code: "sessions/unsafe-id" });
  await rm(join(root, "projects", "-home-dev-project"));
  await (await store.open({ id, cwd })).append(said("x"));
});

test("the transcript of a subagent has one writer at a time", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  const [one, two] = await Promise.all([session.openAgent("a1", {}), session.openAgent("a1", {})]);
  await one.append(said("1"));
  await two.append(said("2"));
  await one.append(said("3"));
  await one.close();
  const last = await (await session.openAgent("a1", {})).append(said("4"));
  const entries = await entriesOf(one.file);
  expect(entries.map(({ parentUuid }) => parentUuid)).toEqual([null, ...entries.slice(0, -1).map(({ uuid }) => uuid)]);
  expect(last.uuid).toBe(entries.at(-1)?.uuid);
});

test("a closed session opens no subagent, and what it was opening is closed with it", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  const opening = session.openAgent("a1", {});
  await session.close();
  const closed = { code: "sessions/closed" };
  await expect((await opening).append(said("late"))).rejects.toMatchObject(closed);
  const again = await store.open({ id, cwd });
  await (await again.openAgent("a1", { kind: "new" })).append(said("1"));
  await expect(session.openAgent("a1", { kind: "old" })).rejects.toMatchObject(closed);
  const meta = await readFile((await opening).file.replace(".jsonl", ".meta.json"), "utf8");
  expect([(await entriesOf((await opening).file)).length, meta]).toEqual([1, '{"kind":"new"}']);
});

test("a subagent that is being closed is opened again after its last record", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const session = await store.open({ id, cwd });
  const agent = await session.openAgent("a1", {});
  const written = Array.from({ length: 100 }, (_, n) => agent.append(said(String(n))));
  const closing = agent.close();
  const again = await session.openAgent("a1", {});
  await agent.close();
  expect(await session.openAgent("a1", {})).toBe(again);
  expect((await again.append(said("more"))).record["parentUuid"]).toBe((await written[99])?.uuid);
  await closing;
});

test("a subagent that cannot be opened a second time keeps its writer", async () => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  const agent = await session.openAgent("a1", {});
  await expect(session.openAgent("a1", ring)).rejects.toThrow("circular");
  expect(await session.openAgent("a1", {})).toBe(agent);
});

test.each([
  [{ type: "assistant" }, 'A record of type "assistant" needs message: { content }'],
  [{ type: "assistant", message: {} }, 'A record of type "assistant" needs message: { content }'],
  [{ type: "user", content: "hello" }, 'A record of type "user" needs message: { content }'],
  [{ type: "user", message: { content: 5 } }, "where content is a string or a list."],
  [{ type: "assistant", message: { content: [] }, usage: { input_tokens: 1 } }, "message.usage"],
  [{ type: "asistant", message: { content: [] } }, 'Unknown type of record "asistant". Did you mean "assistant"?'],
  [{ type: "User", message: { content: "x" } }, 'Did you mean "user"?'],
  [{ type: "assistant", message: { role: "user", content: [] } }, 'type "assistant" cannot have the role "user".'],
  [{ type: "user", message: { content: "x", toJSON: () => ({}) } }, 'A record of type "user" needs message'],
  [{ ...said("x"), toJSON: () => undefined }, "record must be an object, not null."],
])("%j is refused, because no reader could use it", async (bad, why) => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  await expect(session.append(loose(bad))).rejects.toMatchObject({
    code: "sessions/option",
    message: expect.stringContaining(why),
  });
});

test("a record of a type that only the host knows is written", async () => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  await session.append({ type: "node", value: 1 });
  expect(await entriesOf(session.file)).toMatchObject([{ kind: "other", name: "node" }]);
});

test("the type of a draft demands the message of a user or an assistant", async () => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  // @ts-expect-error An answer has a message.
  await expect(session.append({ type: "assistant" })).rejects.toThrow();
  // @ts-expect-error A prompt has its content in a message.
  await expect(session.append({ type: "user", content: "hello" })).rejects.toThrow();
});

test("a parent is a record of the transcript, also one from before it was opened", async () => {
  const root = await tempFolder();
  const session = await (await openStore({ root, version: "1" })).open({ id, cwd });
  const refusal = { code: "sessions/option", message: expect.stringContaining('not "nope"') };
  await expect(session.append(said("x"), { parent: "nope" })).rejects.toMatchObject(refusal);
  const first = await session.append(said("1"));
  await session.append(said("2"));
  await expect(session.append(said("x"), { parent: "nope" })).rejects.toMatchObject(refusal);
  await session.close();
  const again = await (await openStore({ root, version: "1" })).resume(id, { cwd });
  const [answer, named] = await Promise.all([
    again.append({ type: "system", subtype: "informational" }, { parent: first.uuid ?? null, uuid: "chosen" }),
    again.append({ type: "system", subtype: "informational" }, { parent: "chosen" }),
  ]);
  expect([answer.record["parentUuid"], named.record["parentUuid"]]).toEqual([first.uuid, "chosen"]);
  await expect(again.append({ type: "mode" }, { parent: "nope" })).rejects.toMatchObject(refusal);
  expect((await entriesOf(session.file)).length).toBe(4);
});

test("a uuid that a record of the transcript has is refused", async () => {
  const root = await tempFolder();
  const session = await (await openStore({ root, version: "1" })).open({ id, cwd });
  const { uuid = "" } = await session.append(said("1"));
  const refusal = { code: "sessions/option", message: expect.stringContaining(`not "${uuid}"`) };
  // Its own parent.
  await expect(session.append(said("x"), { uuid })).rejects.toMatchObject(refusal);
  await session.append(said("2"));
  await expect(session.append(said("x"), { uuid })).rejects.toMatchObject(refusal);
  const twice = await Promise.allSettled([1, 2].map(() => session.append(said("3"), { uuid: "chosen" })));
  expect(twice.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect((await entriesOf(session.file)).length).toBe(3);
  await session.close();
  const again = await (await openStore({ root, version: "1" })).resume(id, { cwd });
  await expect(again.append(said("x"), { uuid })).rejects.toMatchObject(refusal);
});

test("after an error that leaves a record in the file, its uuid is refused", async () => {
  const { fs } = faultyFs(Number.POSITIVE_INFINITY);
  let closes = 0;
  const shaky = {
    ...fs,
    open: async (...args: Parameters<typeof fs.open>) => {
      const file = await fs.open(...args);
      const close = async () => {
        await file.close();
        if (args[0].endsWith(".jsonl") && closes++ === 0) throw new Error("EIO");
      };
      return { ...file, close };
    },
  };
  const session = await (await openStore({ root: await tempFolder(), version: "1", fs: shaky })).open({ id, cwd });
  await expect(session.append(said("1"), { uuid: "chosen" })).rejects.toThrow("EIO");
  expect((await entriesOf(session.file)).map(({ uuid }) => uuid)).toEqual(["chosen"]);
  await expect(session.append(said("1"), { uuid: "chosen" })).rejects.toMatchObject({ code: "sessions/option" });
});

test("a subagent that is closed while it is opened again gets a new writer, which ends with the session", async () => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  const first = await session.openAgent("a1", {});
  await first.append(said("1"));
  const opening = session.openAgent("a1", {});
  await first.close();
  const [second, third] = await Promise.all([opening, session.openAgent("a1", {})]);
  expect(third).toBe(second);
  await second.append(said("2"));
  expect((await entriesOf(second.file)).map(({ parentUuid }) => parentUuid)).toEqual([null, first.tip]);
  await session.close();
  await expect(second.append(said("x"))).rejects.toMatchObject({ code: "sessions/closed" });
});

test("a prompt that is refused or cannot be synced adds no fillers to an unanswered session; the next one does", async () => {
  const { fs } = faultyFs(Number.POSITIVE_INFINITY);
  let syncs = 0;
  const shaky = {
    ...fs,
    open: async (...args: Parameters<typeof fs.open>) => {
      const file = await fs.open(...args);
      return { ...file, datasync: () => (syncs++ === 0 ? Promise.reject(new Error("EIO")) : file.datasync()) };
    },
  };
  const store = await openStore({ root: await tempFolder(), version: "1", fs: shaky });
  const session = await store.open({ id, cwd });
  const first = await session.append(said("unanswered"));
  await session.close();
  const again = await store.resume(id, { cwd });
  const refused = await Promise.allSettled([
    again.append(said("x"), { parent: "nope" }),
    again.append(said("x"), { uuid: first.uuid ?? "" }),
    again.append(said("x"), loose({ parnt: null })),
    again.append(loose({ ...said("x"), size: 5n })),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  await expect(again.append(said("x"), { durable: true })).rejects.toThrow("EIO");
  expect((await entriesOf(again.file)).length).toBe(1);
  await again.append(said("next"), { durable: true });
  const entries = await entriesOf(again.file);
  expect(entries.map(({ kind }) => kind)).toEqual(["user", "user", "assistant", "user"]);
  expect(entries.map(({ parentUuid }) => parentUuid)).toEqual([null, ...entries.slice(0, -1).map(({ uuid }) => uuid)]);
});

test("relative paths of a store and of a session are those of the time they are given", async () => {
  const here = process.cwd();
  const folder = await realpath(await tempFolder());
  try {
    process.chdir(folder);
    const store = await openStore({ root: "relative", version: "1" });
    const session = await store.open({ id, cwd: "work" });
    process.chdir(here);
    expect(store.root.path).toBe(join(folder, "relative"));
    expect((await session.append(said("x"))).record["cwd"]).toBe(join(folder, "work"));
    expect(
      (await entriesOf(join(folder, "relative", "projects", folderName(join(folder, "work")), `${id}.jsonl`))).length,
    ).toBe(1);
  } finally {
    process.chdir(here);
  }
});

test("a record that contains itself is refused with that reason", async () => {
  const session = await (await openStore({ root: await tempFolder(), version: "1" })).open({ id, cwd });
  await expect(session.append(loose(ring))).rejects.toMatchObject({
    code: "sessions/option",
    message: "The record cannot be written as JSON: it contains itself, or is nested too deeply.",
  });
});

test("a store of a newer format is not written to", async () => {
  const root = await tempFolder();
  for (const text of ['{"format":2}', "{}", "not json"]) {
    await writeFile(join(root, "hookline-store.json"), text, { mode: 0o600 });
    await expect(openStore({ root, version: "1" })).rejects.toMatchObject({ code: "sessions/newer-format" });
    expect(await readFile(join(root, "hookline-store.json"), "utf8")).toBe(text);
  }
});

test("a clock that is set back a day changes neither order nor parents", async () => {
  let now = epoch;
  const store = await openStore({ root: await tempFolder(), version: "1", now: () => now });
  const session = await store.open({ id, cwd });
  const uuids: string[] = [];
  for (const step of [0, 1_000, -86_400_000, 1_000]) {
    now += step;
    uuids.push((await session.append(said("x"))).uuid ?? "");
  }
  const entries = await entriesOf(session.file);
  expect(entries.map(({ uuid, parentUuid }) => ({ uuid, parentUuid }))).toEqual(
    uuids.map((uuid, n) => ({ uuid, parentUuid: uuids[n - 1] ?? null })),
  );
  await session.close();
  const resumed = await store.resume(id, { cwd });
  expect([resumed.tip, resumed.context.map(({ uuid }) => uuid)]).toEqual([uuids.at(-1), uuids]);
});
