import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, expectTypeOf, test } from "vitest";
import { appRuntime } from "../app/app-runtime.ts";
import { agentTask, blueprint, context, createApp } from "../index.ts";
import { mockTasks, testClient } from "../testing/index.ts";
import type { TaskBackend } from "./task-backend.ts";

test("a task is typed by its function, runs with its input, and its result is popped", async () => {
  const app = createApp();
  const double = app.task("double", (n: number, { cwd, attempt }) => ({ twice: n * 2, cwd, attempt }));
  app.onPrompt(async (_event, { tasks }) => {
    expect(await tasks.add(double, 21)).toEqual(expect.any(String));
    // @ts-expect-error the input of the task is a number
    await expect(tasks.add(double, "21", { key: "wrong" })).resolves.toBeDefined();
    const done = await tasks.pop(double);
    if (done) expectTypeOf(done.value.twice).toEqualTypeOf<number>();
    return context(JSON.stringify([done?.state, done?.value, await tasks.pop(double)]));
  });
  const result = await testClient(app).prompt("hi", { cwd: "/home/dev/project" });
  expect(result.additionalContext).toEqual([
    JSON.stringify(["completed", { twice: 42, cwd: "/home/dev/project", attempt: 1 }, null]),
  ]);
});

test("every method of ctx.tasks works for jobs that complete, fail and wait", async () => {
  const app = createApp();
  const work = app.task("work", (what: string) => what);
  const backend = mockTasks();
  const seen: unknown[] = [];
  app.onPrompt(async ({ prompt }, { tasks }) => {
    if (prompt === "add") {
      for (const key of ["good", "bad", "open"]) await tasks.add(work, key, { key });
      return;
    }
    seen.push(
      [await tasks.has("good"), await tasks.has("bad"), await tasks.has("open"), await tasks.has("none")],
      [(await tasks.get("good"))?.state, (await tasks.get("bad"))?.state, (await tasks.get("open"))?.state],
      (await tasks.waitAny(["open", "good"]))?.key,
      (await tasks.waitAll(["good", "bad"])).map((one) => one?.state),
      await tasks.wait("open", { timeoutMs: 30 }),
      (await tasks.popAll()).map(({ key, value }) => [key, value]),
      (await tasks.popErrors()).map(({ key, error }) => [key, error]),
      [await tasks.cancel("open"), await tasks.cancel("open"), (await tasks.get("open"))?.state],
      await tasks.add(work, "again").then(() => tasks.cancelAll()),
      [await tasks.popAll(), await tasks.popErrors()],
    );
  });
  const client = testClient(app, { tasks: backend });
  await client.prompt("add");
  backend.complete("good", { fine: true });
  backend.fail("bad", "boom");
  const { systemMessages } = await client.prompt("look");
  expect(systemMessages).toEqual([]);
  expect(seen).toEqual([
    [true, false, false, false],
    ["completed", "failed", "pending"],
    "good",
    ["completed", "failed"],
    undefined,
    [["good", { fine: true }]],
    [["bad", { code: "failed", message: "boom" }]],
    [true, false, "cancelled"],
    1,
    [[], []],
  ]);
  expect(backend.added.map(({ key, task, input }) => [key, task, input])).toEqual([
    ["good", "work", "good"],
    ["bad", "work", "bad"],
    ["open", "work", "open"],
    ["work", "work", "again"],
  ]);
});

test("a blueprint's tasks and jobs are separate from the app's", async () => {
  const part = blueprint("part");
  const theirs = part.task("job", () => "theirs");
  part.onPrompt(async (_event, { tasks }) => void (await tasks.add(theirs, undefined)));
  const app = createApp().include(part);
  const ours = app.task("job", () => "ours");
  app.onPrompt(async (_event, { tasks }) => {
    await tasks.add(ours, undefined);
    return context((await tasks.popAll()).map(({ value }) => value).join());
  });
  expect([theirs.name, ours.name]).toEqual(["part/job", "job"]);
  expect((await testClient(app).prompt("hi")).additionalContext).toEqual(["ours"]);
  const twice = blueprint();
  twice.task("job", () => 1);
  expect(() => app.include(twice)).toThrow(expect.objectContaining({ code: "sdk/task-taken" }));
  expect(() => app.task("", () => 1)).toThrow(expect.objectContaining({ code: "sdk/bad-task" }));
});

test("a result to be delivered reaches the model with the next event that takes context, once", async () => {
  const app = createApp();
  const lint = app.task("lint", (n: number) => {
    if (n === 0) throw new Error("nothing to lint");
    return { problems: n };
  });
  app.onNotification(async (_event, { tasks }) => {
    await tasks.add(lint, 2, { deliver: "context" });
    await tasks.add(lint, 0, { key: "none", deliver: "context" });
    await tasks.add(lint, 3, { key: "kept" });
  });
  const client = testClient(app);
  (await client.notification()).expectNoOpinion();
  (await client.sessionEnd()).expectNoOpinion();
  const other = await client.prompt("hi", { session_id: "other" });
  expect(other.additionalContext).toEqual([]);
  const session = (await client.notification()).event && "b37b4d9a-5866-4ba4-a605-def302147573";
  const result = await client.prompt("hi", { session_id: session });
  expect(result.additionalContext).toEqual([
    'Background task lint has finished:\n{\n  "problems": 2\n}',
    "Background task none failed: nothing to lint",
  ]);
  expect((await client.prompt("hi", { session_id: session })).additionalContext).toEqual([]);
});

test("inputs and results that are over one MiB or not valid JSON are refused", async () => {
  const app = createApp();
  const big = app.task("big", (n: number) => (n === 0 ? 1n : "x".repeat(n)));
  app.onPrompt(async ({ prompt }, { tasks }) => {
    if (prompt === "input") await tasks.add(app.task("any", () => 1) as never, "x".repeat(2 ** 20) as never);
    if (prompt === "ring") {
      const ring: unknown[] = [];
      ring.push(ring);
      await tasks.add(big, ring as never);
    }
    if (prompt === "unknown") await tasks.add({ name: "nobody", key: "nobody" }, 1);
    await tasks.add(big, 2 ** 20, { key: "long" });
    await tasks.add(big, 0, { key: "bigint" });
    return context((await tasks.popErrors()).map(({ error }) => error.code).join());
  });
  const client = testClient(app);
  expect((await client.prompt("results")).additionalContext).toEqual(["result-too-large,result-not-json"]);
  expect((await client.prompt("input")).systemMessages[0]).toMatch(/has 1048578 bytes; the limit is 1048576/);
  expect((await client.prompt("ring")).warnings[0]?.message).toMatch(/is not valid JSON/);
  expect((await client.prompt("unknown")).warnings[0]?.message).toMatch(/no task called "nobody"/);
});

test("infinite ttl, timeout and attempts are capped, and an invalid priority counts as 0", async () => {
  const app = createApp();
  const { POSITIVE_INFINITY: endless, NaN: none } = Number;
  const options = { ttlMs: endless, timeoutMs: endless, attempts: endless, priority: none };
  const one = app.task("one", () => 1, options);
  const tasks = mockTasks();
  app.onPrompt(async (_event, ctx) => void (await ctx.tasks.add(one, undefined)));
  await testClient(app, { tasks }).prompt("hi");
  const [job] = tasks.added;
  expect([job?.ttlMs, job?.timeoutMs, job?.attempts, job?.priority]).toEqual([
    2 ** 53 - 1,
    2 ** 31 - 1,
    2 ** 53 - 1,
    0,
  ]);
});

test("an app's own backend is used where no other is given", async () => {
  const tasks = mockTasks();
  const app = createApp({ tasks });
  const one = app.task("one", () => 1);
  app.onPrompt(async (_event, ctx) => void (await ctx.tasks.add(one, undefined)));
  await appRuntime(app)?.dispatch(
    { hook_event_name: "UserPromptSubmit", session_id: "s" },
    {
      ...{ env: {}, cwd: "/", replay: false, now: Date.now, openTranscript: async () => undefined },
      ...{ signal: new AbortController().signal, complain: () => undefined },
    },
  );
  expect(tasks.added.map(({ key }) => key)).toEqual(["one"]);
});

test("a misspelled option of a task, of tasks.add or of agentTask is an error, and no limit is dropped silently", async () => {
  const refused = (message: RegExp) =>
    expect.objectContaining({ code: "sdk/bad-option", message: expect.stringMatching(message) });
  const odd = (options: object) => () => createApp().task("lint", () => 1, options);
  expect(odd({ timeoutms: 5 })).toThrow(refused(/task lint has no option "timeoutms". Did you mean "timeoutMs"/));
  expect(odd({ attempts: "2" })).toThrow(refused(/"attempts" of task lint is "2"; it must be a number/));
  expect(() => createApp().task("lint", () => 1, 5 as never)).toThrow(/A task is registered as/);
  expect(() => agentTask("Review.", { maxCost: 1 } as never)).toThrow(
    refused(/agentTask has no option "maxCost". Did you mean "maxCostUsd"/),
  );

  const app = createApp();
  const lint = app.task("lint", () => 1, { ttlMs: 5, priority: 1, timeoutMs: 50, attempts: 2 });
  const tasks = mockTasks();
  app.onPrompt(async ({ prompt }, ctx) => void (await ctx.tasks.add(lint, undefined, JSON.parse(prompt))));
  const warned = async (options: object) =>
    (await testClient(app, { tasks }).prompt(JSON.stringify(options))).warnings[0]?.message;
  expect(await warned({ deliver: "contxt" })).toMatch(/"deliver" of tasks\.add for task lint is "contxt"; it must be/);
  expect(await warned({ ttl: 5 })).toMatch(/tasks\.add for task lint has no option "ttl"/);
  expect(tasks.added).toEqual([]);
});

test("tasks.add with the name of a task instead of the task is an error that names it", async () => {
  const app = createApp();
  const lint = app.task("lint", () => 1);
  let given: unknown;
  app.onStop(async (_event, ctx) => void (await ctx.tasks.add(given as typeof lint, undefined)));
  const warned = async (task: unknown) => {
    given = task;
    return (await testClient(app, { tasks: mockTasks() }).stop()).warnings[0]?.message;
  };
  const register = "Register it with app.task(name, function) and pass what that returns.";
  expect(await warned("lint")).toContain(`tasks.add takes a task, not "lint". ${register}`);
  expect(await warned({ name: "lnt", key: "lnt" })).toContain(`The app has no task called "lnt". ${register}`);
});

test("a job that a handler adds without waiting for it is kept before the hook ends", async () => {
  const app = createApp();
  const lint = app.task("lint", () => 1);
  const mock = mockTasks();
  const slow: TaskBackend = {
    ...mock,
    add: async (job) => {
      await nextTurn();
      return mock.add(job);
    },
  };
  app.onStop((_event, { tasks }) => void tasks.add(lint, undefined));
  await testClient(app, { tasks: slow }).stop();
  expect(mock.added.map(({ task }) => task)).toEqual(["lint"]);
});
