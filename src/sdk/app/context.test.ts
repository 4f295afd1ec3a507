import { getEventListeners } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blueprint, context, createApp } from "../index.ts";
import type { RunEnvironment, SettledEvent } from "../internal.ts";
import { captureEvents, fixtures, memoryState, type TestProject, testClient, testProject } from "../testing/index.ts";
import { type AppRuntime, appRuntime } from "./app-runtime.ts";
import { openObservers } from "./observers.ts";

let project: TestProject;
let folder: string;
beforeAll(async () => {
  project = await testProject({ "a.txt": "one\n" });
  await project.commit("first");
  folder = await mkdtemp(join(tmpdir(), "hookline-context-"));
});
afterAll(async () => {
  await project.remove();
  await rm(folder, { recursive: true });
});

const payload = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "hi" };
function dispatch(app: unknown, changes: Partial<RunEnvironment> = {}, fields: object = {}): Promise<SettledEvent> {
  return (appRuntime(app) as AppRuntime).dispatch(
    { ...payload, cwd: project.dir, ...fields },
    {
      ...{ env: { PATH: process.env["PATH"] }, cwd: "/", replay: false, now: Date.now, state: memoryState() },
      ...{ openTranscript: async () => undefined, signal: new AbortController().signal, complain: () => undefined },
      ...changes,
    },
  );
}

test("without an observer and without a log, no observation is built", async () => {
  const observers = openObservers();
  let built = 0;
  const make = () => ({ event: "Stop", n: built++ });
  observers.notify("hook-start", make, () => undefined);
  observers.add(["handler-end", () => undefined]);
  observers.notify("hook-start", make, () => undefined);
  expect(built).toBe(0);
  observers.notify("handler-end", make, () => undefined);
  expect(built).toBe(1);

  const app = createApp().onPrompt(() => context("x"));
  const frozen = countFrozen();
  await dispatch(app);
  const quiet = frozen.stop();
  const seen = captureEvents(app);
  const watched = countFrozen();
  await dispatch(app);
  expect([quiet, watched.stop()]).toEqual([0, seen.all.length]);
  expect(seen.all.map(({ kind }) => kind)).toEqual(["hook-start", "handler-start", "handler-end", "hook-end"]);
  expect(seen.all.every(Object.isFrozen)).toBe(true);
});

test("an observer that throws is reported and changes nothing; an unknown kind throws", async () => {
  const complaints: string[] = [];
  const app = createApp()
    .observe(() => {
      throw new Error("blind");
    })
    .onPrompt(() => context("x"));
  const { folded } = await dispatch(app, { complain: (line) => void complaints.push(line) });
  expect([folded.contexts, complaints[0]]).toEqual([["x"], "An observer of hook-start threw: blind"]);
  expect(() => app.observe("hook-middle" as never, () => undefined)).toThrow(
    expect.objectContaining({ code: "sdk/unknown-kind" }),
  );
});

test("a value that no handler uses is not made, and one that two handlers use is made once", async () => {
  let opened: (string | undefined)[] = [];
  const openTranscript = async (path: string | undefined) => void opened.push(path);
  const fields = { transcript_path: "/home/dev/t.jsonl" };
  await dispatch(
    createApp().onPrompt(() => undefined),
    { openTranscript },
    fields,
  );
  expect(opened).toEqual([]);
  const touches = createApp()
    .onPrompt(async (_event, { transcript }) => void (await transcript))
    .onPrompt(async (_event, ctx) => void (await ctx.transcript));
  await dispatch(touches, { openTranscript }, fields);
  expect(opened).toEqual(["/home/dev/t.jsonl"]);
  opened = [];
  await dispatch(touches, { openTranscript }, { transcript_path: "" });
  expect(opened).toEqual([undefined]);
});

test("the test client reads the transcript file; without one the session is empty", async () => {
  const file = join(folder, "00000000-0000-4000-8000-000000000001.jsonl");
  await writeFile(file, '{"type":"user","message":{"role":"user","content":"hi"}}\n');
  const app = createApp().onPrompt(async (_event, { transcript }) => {
    const session = await transcript;
    return context(`${(await session.stats()).entries} ${await session.finalText()}`);
  });
  const client = testClient(app);
  const said = async (path: unknown) => {
    const { additionalContext } = await client.raw({ ...fixtures.UserPromptSubmit(), transcript_path: path });
    return additionalContext;
  };
  for (const path of [undefined, "", "last", join(folder, "gone.jsonl"), 7]) expect(await said(path)).toEqual(["0 "]);
  expect(await said(file)).toEqual(["1 "]);
  const own = await testClient(app, { transcript: { stats: () => ({ entries: 9 }), finalText: () => "x" } }).prompt(
    "a",
  );
  own.expectContext("9 x");
});

test("handlers that read their signal leave no listener on that of the host", async () => {
  const host = new AbortController();
  const app = createApp();
  const seen: AbortSignal[] = [];
  for (let i = 0; i < 12; i++) app.onPrompt({ name: `h${i}` }, (_event, { signal }) => void seen.push(signal));
  await dispatch(app, { signal: host.signal });
  expect(getEventListeners(host.signal, "abort")).toEqual([]);
  host.abort(new Error("gone"));
  expect(seen.map(({ reason }) => String(reason))).toEqual(Array(12).fill("Error: gone"));
});

test("the signal aborts at the handler's deadline and when the host disconnects", async () => {
  const reasons: string[] = [];
  const app = createApp().onPrompt({ timeoutMs: 30 }, (_event, { signal }) => {
    signal.addEventListener("abort", () => reasons.push(String(signal.reason)));
    return new Promise(() => undefined);
  });
  await dispatch(app);
  expect(reasons).toEqual([expect.stringMatching(/^Error: the deadline of \d+ ms has passed$/)]);
  const host = new AbortController();
  const waits = createApp().onPrompt(async (_event, { signal }) => {
    setImmediate(() => host.abort(new Error("the connection closed")));
    await new Promise((done) => signal.addEventListener("abort", done));
    return context(String(signal.reason));
  });
  const { folded } = await dispatch(waits, { signal: host.signal });
  expect(folded.contexts).toEqual(["Error: the connection closed"]);
});

test("ctx.git describes the event's folder, asks git once per event, and runs no program that a repository names", async () => {
  const ran = join(folder, "ran");
  const trap = join(folder, "trap");
  await program(trap, `echo ran >> '${ran}'`);
  await project.git("config", "core.fsmonitor", trap);
  await project.git("config", "diff.external", trap);
  await project.git("config", "core.pager", trap);
  await project.write("a.txt", "two\n");
  await project.write("b.txt", "new\n");
  const head = (await project.git("rev-parse", "HEAD")).trim();
  const app = createApp().onPrompt(async (_event, { git }) => {
    const answers = [await git.root(), await git.branch(), await git.head(), await git.status()];
    const diff = await git.diff();
    await writeFile(join(project.dir, "c.txt"), "later\n");
    return context(JSON.stringify([...answers, diff.split("\n").slice(-2), await git.status()]));
  });
  const { folded } = await dispatch(app);
  const status = [" M a.txt", "?? b.txt"];
  expect(JSON.parse(folded.contexts[0] ?? "")).toEqual([project.dir, "main", head, status, ["-one", "+two"], status]);
  await expect(readFile(ran, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
  const outside = createApp().onPrompt(async (_event, { git }) =>
    context(JSON.stringify([(await git.root()) ?? null, await git.status(), await git.diff()])),
  );
  expect((await dispatch(outside, {}, { cwd: folder })).folded.contexts).toEqual(['[null,[],""]']);
});

test("folders and environment are the event's; exports are quoted, and need a file of the host's", async () => {
  const file = join(folder, "env");
  const env = { CLAUDE_PROJECT_DIR: "/home/dev/project", CLAUDE_ENV_FILE: file, COLOUR: "red" };
  const app = createApp().onPrompt(async (_event, { cwd, projectDir, path, env, exportEnv, replay }) => {
    await exportEnv("NOTE", "it's\n$HOME");
    return context(JSON.stringify([cwd, projectDir, path("src/a.ts"), env["COLOUR"], replay]));
  });
  const { folded } = await dispatch(app, { env }, { cwd: "/home/dev/project/sub" });
  expect(JSON.parse(folded.contexts[0] ?? "")).toEqual([
    "/home/dev/project/sub",
    "/home/dev/project",
    "/home/dev/project/src/a.ts",
    "red",
    false,
  ]);
  expect(await readFile(file, "utf8")).toBe("export NOTE='it'\\''s\n$HOME'\n");
  const { trace } = await dispatch(app, { env: {} });
  expect(trace[0]?.error).toMatch(/sets no CLAUDE_ENV_FILE/);
});

test("a test client replaces the transcript, the environment and any member of the context", async () => {
  const app = createApp()
    .provide("db", () => "real")
    .provide("greeting", (ctx) => `hello ${ctx.db}`)
    .onPrompt(async (_event, { greeting, git, transcript, env }) =>
      context([greeting, await git.branch(), JSON.stringify(await transcript), env["WHO"]].join()),
    );
  const client = testClient(app, { transcript: { entries: 3 }, env: { WHO: "me" } })
    .override("db", "fake")
    .override("git", { branch: async () => "somewhere" });
  expect((await client.prompt("hi")).additionalContext).toEqual(['hello fake,somewhere,{"entries":3},me']);
});

test("values end with their scope (event, session, process); one that hangs or throws does not block the others", async () => {
  const ended: unknown[] = [];
  const end = (value: unknown) => void ended.push(value);
  let made = 0;
  const app = createApp()
    .provide("own", () => `event ${++made}`, { dispose: end })
    .provide("shared", (_ctx, event) => `session ${event.sessionId}`, { scope: "session", dispose: end })
    .provide("wide", async () => "process", { scope: "process", dispose: end })
    .provide("broken", () => 1, {
      scope: "process",
      dispose: () => {
        throw new Error("broken");
      },
    })
    .on("UserPromptSubmit", (_event, { own, shared, wide, broken }) => void [own, shared, wide, broken])
    .onSessionEnd(() => undefined);
  for (const session_id of ["a", "a/b", "a"]) await (await dispatch(app, {}, { session_id })).dispose();
  expect(ended).toEqual(["event 1", "event 2", "event 3"]);
  await (await dispatch(app, {}, { hook_event_name: "SessionEnd", session_id: "a" })).dispose();
  expect(ended.slice(3)).toEqual(["session a"]);
  await expect(appRuntime(app)?.end?.()).rejects.toThrow("broken");
  expect(ended.slice(4).sort()).toEqual(["process", "session a/b"]);
});

test("a provider factory gets state, log and signal", async () => {
  const seen: unknown[] = [];
  const part = blueprint("part").onPrompt(async (_event, ctx) => {
    const { count } = ctx as typeof ctx & { readonly count: Promise<number> };
    const n = await count;
    return context(`${n} ${await ctx.state.get("n")}`);
  });
  const app = createApp()
    .provide("count", async ({ state, log, signal, emit }) => {
      log.info("made");
      emit("made", signal.aborted);
      return state.update("n", (n = 0) => n + 1) as Promise<number>;
    })
    .observe("custom", ({ handler, payload }) => void seen.push(handler, payload))
    .include(part)
    .onPrompt(async (_event, { count, state }) => context(`${await count} ${await state.get("n")}`));
  const { folded } = await dispatch(app);
  // A part's state is its own, though the value was made for it first.
  expect([folded.contexts, seen]).toEqual([
    ["1 undefined", "1 1"],
    ["provider count", false],
  ]);
});

test("a failure is reported once per hooks file, also when handler names are equal", async () => {
  const state = memoryState();
  const app = createApp().onPrompt({ name: "h" }, () => {
    throw new Error("boom");
  });
  const counts: number[] = [];
  for (const file of ["/home/dev/one.ts", "/home/dev/two.ts", "/home/dev/one.ts"]) {
    counts.push((await dispatch(app, { state, file })).folded.messages.length);
  }
  expect(counts).toEqual([1, 1, 0]);
});

test("a provider that fails is a failure of every handler that touched it, and is observed", async () => {
  const app = createApp()
    .provide("broken", () => {
      throw new Error("no database");
    })
    .provide("late", async (): Promise<string> => {
      throw new Error("no network");
    })
    .onPrompt({ name: "first" }, (_event, { broken }) => context(String(broken)))
    .onPrompt({ name: "second" }, async (_event, { late }) => context(await late))
    .onPrompt({ name: "third" }, () => context("untouched"))
    .onPrompt({ name: "fourth", onFailure: "block" }, (_event, ctx) => context(String(ctx.broken)))
    .onPrompt({ name: "fifth" }, () => context("never"));
  const seen = captureEvents(app);
  const { folded } = await dispatch(app);
  expect([folded.contexts, folded.refusal]).toEqual([
    ["untouched"],
    { kind: "block", reason: expect.stringMatching(/^fourth failed: no database \(.*context\.test\.ts:\d+:\d+\)$/) },
  ]);
  const errors = seen.all.filter(({ kind }) => kind === "handler-error");
  expect(errors.map(({ handler, error }) => [handler, String(error).replace(/ \(.*/, "")])).toEqual([
    ["first", "no database"],
    ["second", "no network"],
    ["fourth", "no database"],
  ]);
});

test("events run side by side and share no value but those of a wider scope", async () => {
  let made = 0;
  let bothIn: () => void = () => undefined;
  const both = new Promise<void>((done) => {
    bothIn = done;
  });
  let inside = 0;
  const app = createApp()
    .provide("own", () => ++made)
    .provide("wide", () => ({}), { scope: "process" })
    .onPrompt(async (_event, ctx) => {
      if (++inside === 2) bothIn();
      await both;
      return context(String(ctx.own));
    })
    .onPrompt((_event, { own, wide }) => {
      const shared = wide as { seen?: number };
      shared.seen = (shared.seen ?? 0) + 1;
      return context(`${own} ${shared.seen}`);
    });
  const settled = await Promise.all([dispatch(app, {}, { session_id: "a" }), dispatch(app, {}, { session_id: "b" })]);
  const contexts = settled.map(({ folded }) => folded.contexts);
  expect(contexts.map(([own]) => own).sort()).toEqual(["1", "2"]);
  expect(contexts.map(([own, later]) => later?.startsWith(`${own} `))).toEqual([true, true]);
  expect(contexts.map(([, later]) => later?.slice(-1)).sort()).toEqual(["1", "2"]);
});

/** Counts what is frozen as an observation is. */
function countFrozen(): { stop(): number } {
  const { freeze } = Object;
  let count = 0;
  Object.freeze = ((value: object) => {
    if (value !== null && typeof value === "object" && "kind" in value && "event" in value) count++;
    return freeze(value);
  }) as typeof Object.freeze;
  return {
    stop() {
      Object.freeze = freeze;
      return count;
    },
  };
}

async function program(path: string, line: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}
