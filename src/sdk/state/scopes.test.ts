import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { type AppRuntime, appRuntime } from "../app/app-runtime.ts";
import { createApp, type ScopedState } from "../index.ts";
import type { RunEnvironment } from "../internal.ts";
import { memoryState, testClient } from "../testing/index.ts";

/** Two projects, one of them with a second name, and one user. */
function place() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-scopes-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["one", "two"]) mkdirSync(join(folder, name));
  symlinkSync("one", join(folder, "other-name"));
  return async <Value>(session: unknown, project: string, work: (state: ScopedState) => Promise<Value>) => {
    let value: Value | undefined;
    const app = createApp().onPrompt(async (_event, { state }) => {
      value = await work(state);
    });
    const cwd = join(folder, project);
    const world: RunEnvironment = {
      ...{ cwd, replay: false, now: Date.now, signal: new AbortController().signal },
      env: { HOOKLINE_HOME: join(folder, "state"), CLAUDE_PROJECT_DIR: cwd },
      openTranscript: async () => undefined,
      complain: (line) => {
        throw new Error(line);
      },
    };
    const payload = { hook_event_name: "UserPromptSubmit", session_id: session, cwd: session, prompt: "hi" };
    const settled = await (appRuntime(app) as AppRuntime).dispatch(payload, world);
    expect(settled.warnings).toEqual([]);
    return value as Value;
  };
}

test("a session's state is its own, a project's belongs to its real path, and the user's is shared by all", async () => {
  const within = place();
  await within("s1", "one", async (state) => {
    await state.set("where", "session");
    await state.project.set("where", "project");
    await state.user.set("where", "user");
  });
  const seen = (session: string, project: string) =>
    within(session, project, async (state) => [
      await state.get("where"),
      await state.project.get("where"),
      await state.user.get("where"),
    ]);
  expect(await seen("s1", "one")).toEqual(["session", "project", "user"]);
  expect(await seen("s2", "one")).toEqual([undefined, "project", "user"]);
  expect(await seen("s1", "other-name")).toEqual(["session", "project", "user"]);
  expect(await seen("s2", "two")).toEqual([undefined, undefined, "user"]);
});

test("every method of a scope reads or changes the state", async () => {
  const within = place();
  const results = await within("s", "one", async (state) => {
    await state.set("a", 1);
    await state.set("b", [2]);
    await state.update("a", (a) => Number(a) + 1);
    const before = [await state.keys(), await state.has("b"), await state.has("c"), await state.all()];
    await state.delete("b");
    const after = [await state.get("a"), await state.get("b"), await state.keys()];
    await state.clear();
    return [...before, ...after, await state.all()];
  });
  expect(results).toEqual([["a", "b"], true, false, { a: 2, b: [2] }, 2, undefined, ["a"], {}]);
});

test("clear() leaves the state of blueprints alone", async () => {
  const door = memoryState();
  const [app, part] = [door.forSpace(undefined), door.forSpace("part")];
  for (const key of ["k", "/k", "part/k", "/part/k"]) await app.set(key, "ours");
  await part.set("k", "theirs");
  expect([await app.keys(), await part.keys(), await app.get("/part/k")]).toEqual([
    ["k", "/k", "part/k", "/part/k"],
    ["k"],
    "ours",
  ]);
  await app.clear();
  expect([await app.all(), await part.all()]).toEqual([{}, { k: "theirs" }]);
});

test("declared keys have their types and defaults, and changing a default that was read affects no other reader", async () => {
  const app = createApp({ state: { session: { count: 0, list: [] as string[] }, user: { name: "" } } });
  const seen: unknown[] = [];
  app.onPrompt(async (_event, { state }) => {
    expectTypeOf(await state.get("count")).toEqualTypeOf<number>();
    expectTypeOf(await state.user.get("name")).toEqualTypeOf<string>();
    // @ts-expect-error a count is not a string
    if (seen.length > 9) await state.set("count", "one");
    (await state.get("list")).push("x");
    seen.push(await state.get("count"), await state.get("list"), await state.has("count"), await state.all());
  });
  await testClient(app).prompt("hi");
  expect(seen).toEqual([0, [], false, { count: 0, list: [] }]);
});

test("state works when session_id or cwd is not a string", async () => {
  const within = place();
  const count = (session: unknown) =>
    within(session, "one", async (state) => {
      await state.project.update("n", (n) => Number(n ?? 0) + 1);
      return state.update("n", (n) => Number(n ?? 0) + 1);
    });
  const counts = [
    await count(5),
    await count("5"),
    await count({}),
    await count(null),
    await count(["x"]),
    await count(6),
  ];
  expect(counts).toEqual([1, 2, 1, 2, 3, 1]);
  expect(await within("s", "one", (state) => state.project.get("n"))).toBe(6);
});

test.each([{ ttl: 1_000 }, { ttlMs: "5m" }])(
  "a value with %j, which would never be forgotten, is refused",
  async (options) => {
    const app = createApp().preTool({ onFailure: "block" }, async (_event, { state }) => {
      await state.set("approved", true, options as never);
    });
    const other = createApp().preTool({ onFailure: "block" }, async (_event, { state }) => {
      await state.update("approved", () => true, options as never);
    });
    for (const one of [app, other]) {
      (await testClient(one).preTool("Bash", { command: "ls" })).expectDenied("a value of state");
    }
  },
);
