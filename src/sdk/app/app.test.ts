import { expect, expectTypeOf, test, vi } from "vitest";
import {
  allow,
  ask,
  block,
  blueprint,
  context,
  createApp,
  defineStrategy,
  deny,
  type EventOf,
  isTool,
  mapOutput,
  patchInput,
  systemMessage,
  updateInput,
  updateOutput,
} from "../index.ts";
import { memoryState, testClient } from "../testing/index.ts";
import { appRuntime } from "./app-runtime.ts";

const bash = { command: "rm -rf /" };

test("a tool's name types its input; a list narrows; an open event is narrowed by isTool", () => {
  createApp()
    .preTool("Bash", ({ input }) => expectTypeOf(input.command).toEqualTypeOf<string>() && undefined)
    .preTool(["Write", "Read"], (event) => {
      if (event.toolName === "Write") expectTypeOf(event.input.content).toEqualTypeOf<string>();
    })
    .preTool("mcp__github__*", (event) => {
      expectTypeOf(event.input).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      if (isTool(event, "Bash")) expectTypeOf(event.input.command).toEqualTypeOf<string>();
    })
    .postTool("Bash", ({ response }) => expectTypeOf(response.stdout).toEqualTypeOf<string>() && undefined)
    .onStop(({ stopHookActive }) => expectTypeOf(stopHookActive).toEqualTypeOf<boolean>() && undefined);
  expectTypeOf<EventOf<"PreToolUse">["toolUseId"]>().toEqualTypeOf<string>();
});

test("unknown events that a handler names, and thin payloads, are dispatched like any other", async () => {
  const seen: unknown[] = [];
  const app = createApp()
    .on("BrandNew", (event) => void seen.push(event.name, event.raw))
    .preTool("Bash", () => deny("no"))
    .postTool(({ response }) => void seen.push(response));
  const client = testClient(app);
  const payload = { hook_event_name: "BrandNew", colour: "red" };
  (await client.raw(payload)).expectNoOpinion();
  (await client.raw({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: bash })).expectDenied("no");
  for (const tool_response of [[{ type: "text" }], "text", null]) {
    await client.raw({ hook_event_name: "PostToolUse", tool_name: "mcp__a__b", tool_response });
  }
  expect(seen).toEqual(["BrandNew", payload, [{ type: "text" }], "text", null]);
});

test("handlers run in the order exact names, patterns, all tools, on, and in registration order within each", async () => {
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const app = createApp()
    .on("PreToolUse", note("on"))
    .preTool(note("all"))
    .preTool("mcp__git*__push", note("pattern"))
    .preTool(["Bash", "mcp__github__push"], note("exact"))
    .preTool("mcp__github__push", note("exact too"))
    .preTool("Bash", note("other tool"));
  await testClient(app).preTool("mcp__github__push", {});
  expect(order).toEqual(["exact", "exact too", "pattern", "all", "on"]);
  order.length = 0;
  const agents = createApp().preTool("Task", note("task")).onSessionStart("resume", note("resume"));
  await testClient(agents).preTool("Agent", { description: "d", prompt: "p" });
  await testClient(agents).sessionStart({ source: "startup" });
  await testClient(agents).sessionStart({ source: "resume" });
  expect(order).toEqual(["task", "resume"]);
  expect(() => createApp().preTool([], () => undefined)).toThrow(expect.objectContaining({ code: "sdk/empty-match" }));
});

test("events are frozen, camelCase outside, untouched inside", async () => {
  const app = createApp().preTool("Bash", (event) => {
    (event.input as { command: string }).command = "ls";
  });
  const result = await testClient(app).preTool("Bash", bash);
  expect(result.trace).toEqual([
    expect.objectContaining({ outcome: "failed", error: expect.stringMatching(/read only/) }),
  ]);
  expect(bash).toEqual({ command: "rm -rf /" });
});

test("a guard that says no skips; a guard that throws is a failure of its handler", async () => {
  const skip = createApp().preTool({ when: async () => false }, () => deny("no"));
  const skipped = (await testClient(skip).preTool("Bash", bash)).expectNoOpinion();
  expect(skipped.trace.map(({ outcome }) => outcome)).toEqual(["skipped"]);
  const broken = createApp().preTool(
    {
      name: "g",
      onFailure: "block",
      when: () => {
        throw new Error("guard broke");
      },
    },
    () => undefined,
  );
  (await testClient(broken).preTool("Bash", bash)).expectDenied("g failed: guard broke");
});

test("a denial that comes after its deadline, from a handler that held the thread, still counts", async () => {
  const hold = () => {
    const end = performance.now() + 5;
    while (performance.now() < end);
    return deny("late");
  };
  for (const handler of [hold, async () => hold()]) {
    const app = createApp().preTool("Bash", { timeoutMs: 1 }, handler);
    (await testClient(app).preTool("Bash", { command: "ls" })).expectDenied("late");
  }
});

test("a throw, a rejection, a timeout and an invalid return value all fail by the registration's mode", async () => {
  const ways = {
    throws: () => {
      throw new Error("boom");
    },
    rejects: () => Promise.reject(new Error("boom")),
    never: () => new Promise<undefined>(() => undefined),
    nonsense: () => ({ permissionDecision: "allow" }) as never,
  };
  for (const [name, handler] of Object.entries(ways)) {
    const make = (onFailure: "block" | "continue") =>
      createApp()
        .preTool({ name, onFailure, timeoutMs: 20 }, handler)
        .preTool({ name: "next" }, () => context("went on"));
    const closed = (await testClient(make("block")).preTool("Bash", bash)).expectDenied(`${name} failed`);
    expect(closed.trace.map(({ outcome }) => outcome)).toEqual([
      name === "never" ? "timed-out" : "failed",
      "not-reached",
    ]);
    const open = (await testClient(make("continue")).preTool("Bash", bash)).expectContext("went on");
    expect([open.decision, open.systemMessages.length]).toEqual(["none", 1]);
  }
});

test("a value that cannot be printed fails only its handler", async () => {
  const ring: Record<string, unknown> = {};
  ring["ring"] = ring;
  const ways: readonly (() => unknown)[] = [
    () => {
      throw Object.create(null);
    },
    () => updateInput({ n: 1n }),
    () => updateInput(ring),
  ];
  for (const handler of ways) {
    const app = createApp()
      .preTool({ name: "odd" }, handler as () => undefined)
      .preTool(() => context("went on"));
    const result = (await testClient(app).preTool("Bash", bash)).expectContext("went on");
    expect(result.trace.map(({ name, outcome }) => [name, outcome])[0]).toEqual(["odd", "failed"]);
  }
});

test("an infinite deadline does not expire", async () => {
  vi.useFakeTimers();
  const app = createApp().preTool({ timeoutMs: Number.POSITIVE_INFINITY }, async () => {
    await vi.advanceTimersByTimeAsync(3_600_000);
    return deny("waited for");
  });
  (await testClient(app).preTool("Bash", bash)).expectDenied("waited for");
});

test("one function with two failure modes keeps both", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  const app = createApp()
    .preTool("Bash", { onFailure: "block" }, boom)
    .preTool("Read", { onFailure: "continue" }, boom);
  (await testClient(app).preTool("Bash", bash)).expectDenied("boom");
  expect((await testClient(app).preTool("Read", { file_path: "a" })).decision).toBe("none");
});

test("a failure is reported to the user once per session and handler", async () => {
  const app = createApp().onPrompt({ name: "h" }, () => {
    throw new Error("boom");
  });
  const client = testClient(app, { state: memoryState() });
  expect((await client.prompt("a")).systemMessages).toEqual([
    expect.stringMatching(/^Hook h failed on UserPromptSubmit: boom \(.*app\.test\.ts:\d+:\d+\)$/),
  ]);
  const second = await client.prompt("b");
  expect([second.systemMessages, second.warnings.length]).toEqual([[], 1]);
});

test("on Stop a failure blocks once per turn; where nothing can be refused it is only reported", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  const app = createApp({ onFailure: "block" }).onStop(boom).onSessionStart(boom);
  (await testClient(app).stop({ stop_hook_active: false })).expectBlocked("boom");
  expect((await testClient(app).stop({ stop_hook_active: true })).blocked).toBe(false);
  const start = await testClient(app).sessionStart();
  expect([start.decision, start.systemMessages.length, start.exitCode]).toEqual(["none", 1, 0]);
});

test("the strictest answer wins with its first reason; a refusal ends the chain, keeps words and drops rewrites", async () => {
  const mild = createApp()
    .preTool(() => allow("a"))
    .preTool(() => ask("first"))
    .preTool(() => ask("second"));
  (await testClient(mild).preTool("Bash", bash)).expectAsked("first");
  const hard = createApp()
    .preTool(() => [context("early"), updateInput({ command: "ls" }), allow("ok")])
    .preTool(() => [deny("no"), systemMessage("told"), context("same list")])
    .preTool(() => context("never"));
  const result = (await testClient(hard).preTool("Bash", bash)).expectDenied("no");
  expect([result.additionalContext, result.systemMessages, result.updatedInput]).toEqual([
    ["early", "same list"],
    ["told"],
    undefined,
  ]);
});

test("rewrites are chained, and a guard before them judges the final input", async () => {
  const seen: unknown[] = [];
  const guard = ({ input }: { input: { command: string } }) => (/\brm\b/.test(input.command) ? deny("rm") : undefined);
  const app = createApp()
    .preTool("Bash", { recheck: true, name: "guard" }, guard)
    .preTool("Bash", () => patchInput({ timeout: 5 }))
    .preTool("Bash", ({ input, raw }) => void seen.push(input, raw["tool_input"]))
    .preTool("Bash", { when: ({ input }) => input.command === "clean" }, () => patchInput({ command: "rm x" }));
  (await testClient(app).preTool("Bash", { command: "ls" })).expectInput({ command: "ls", timeout: 5 });
  expect(seen).toEqual([{ command: "ls", timeout: 5 }, { command: "ls" }]);
  (await testClient(app).preTool("Bash", { command: "clean" })).expectDenied("rm");
});

test("an output of another shape is a failure; mapOutput keeps the shape", async () => {
  const response = { stdout: "key=abc", stderr: "", interrupted: false };
  const mask = createApp().postTool("Bash", () => mapOutput((text) => text.replace("abc", "***")));
  expect((await testClient(mask).postTool("Bash", bash, response)).output).toEqual({
    updatedToolOutput: { ...response, stdout: "key=***" },
  });
  for (const value of ["text", { stdout: "x" }, { ...response, stdout: 5 }, { ...response, stdout: undefined }]) {
    const odd = createApp().postTool("Bash", { onFailure: "block" }, () => updateOutput(value as never));
    (await testClient(odd).postTool("Bash", bash, response)).expectDenied("output of Bash");
  }
  const mcp = createApp().postTool(() => updateOutput("anything"));
  expect((await testClient(mcp).postTool("mcp__a__b", {}, [1])).output).toEqual({ updatedToolOutput: "anything" });
});

test.each([
  ["a promise", async () => "***"],
  ["nothing", () => undefined],
])("a function of mapOutput that returns %s is a failure, and not an output that the host drops", async (what, map) => {
  const mask = createApp().postTool("Bash", { onFailure: "block" }, () => mapOutput(map as never));
  const response = { stdout: "key=abc", stderr: "", interrupted: false };
  (await testClient(mask).postTool("Bash", bash, response)).expectDenied(`returned ${what}; it must return a string`);
});

test("a promise as the new input is a failure, and not an empty input", async () => {
  const app = createApp().preTool("Bash", { onFailure: "block" }, () => updateInput(Promise.resolve({}) as never));
  (await testClient(app).preTool("Bash", bash)).expectDenied("expected an answer");
});

test("handlers that end in any order give the same bytes", async () => {
  const orders = ["abc", "acb", "bac", "bca", "cab", "cba"];
  let order = "";
  const app = createApp();
  for (const text of ["a", "b", "c"]) {
    app.onPrompt(async () => {
      for (let turns = order.indexOf(text); turns >= 0; turns--) await new Promise((done) => setImmediate(done));
      return [context(text), systemMessage(text)];
    });
  }
  const outputs = new Set<string>();
  for (order of orders) outputs.add((await testClient(app).prompt("hi")).stdout);
  expect([...outputs].map((text) => JSON.parse(text) as unknown)).toEqual([
    {
      systemMessage: "a\nb\nc",
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "a\n\nb\n\nc" },
    },
  ]);
});

test("middleware wraps, answers early, may change the event, and may call next once", async () => {
  const order: string[] = [];
  const app = createApp()
    .use(async (event, _ctx, next) => {
      order.push("outer");
      const answers = await next(event);
      return [...answers, systemMessage("seen")];
    })
    .use(async (_event, _ctx, next) => {
      order.push("inner");
      await next();
    })
    .preTool(() => deny("no"));
  const result = (await testClient(app).preTool("Bash", bash)).expectDenied("no");
  expect([order, result.systemMessages]).toEqual([["outer", "inner"], ["seen"]]);
  const twice = createApp({ onFailure: "block" }).use(async (_event, _ctx, next) => {
    await next();
    await next();
  });
  (await testClient(twice).preTool("Bash", bash)).expectDenied(/called next twice/);
  const late = createApp()
    .use(async (_event, _ctx, next) => {
      await next();
      throw new Error("late");
    })
    .preTool(() => deny("no"));
  (await testClient(late).preTool("Bash", bash)).expectDenied("no");
});

test("a blueprint keeps its place, its middleware and its state to itself", async () => {
  const wrapped: string[] = [];
  const part = blueprint("part")
    .use(async (event, _ctx, next) => {
      wrapped.push(event.name);
      return next();
    })
    .onPrompt({ name: "inside" }, async (_event, { state }) => void (await state.set("k", "theirs")));
  const app = createApp()
    .onPrompt({ name: "before" }, async (_event, { state }) => void (await state.set("k", "ours")))
    .include(part)
    .onPrompt({ name: "after" }, async (_event, { state }) => context(String(await state.get("k"))));
  const result = (await testClient(app).prompt("hi")).expectContext("ours");
  expect([result.trace.map(({ name }) => name), wrapped]).toEqual([
    ["before", "inside", "after"],
    ["UserPromptSubmit"],
  ]);
  expect(() => app.include(part)).toThrow(expect.objectContaining({ code: "sdk/already-included" }));
  const other = createApp().include(part);
  expect((await testClient(other).prompt("hi")).trace.map(({ name }) => name)).toEqual(["inside"]);
});

test("registering on a blueprint after it was included throws", () => {
  const part = blueprint("late");
  createApp().include(part);
  expect(() => part.preTool("Bash", () => deny("no"))).toThrow(/PreToolUse is registered on the blueprint late after/);
});

test("strategies declare what they do, and two that declare the same conflict", async () => {
  const define = (name: string, build: Parameters<typeof defineStrategy>[0]["build"]) =>
    defineStrategy({ name, version: "1.0.0", hooks: ["Stop"], customEvents: ["done"], onFailure: "block", build });
  const emitted: unknown[] = [];
  const one = define("one", (plan) => {
    plan.onStop((_event, { emit }) => {
      emit("done", { n: 1 });
      emit("other");
    });
  });
  const app = createApp()
    .include(one())
    .observe("custom", ({ type, payload }) => void emitted.push(type, payload));
  (await testClient(app).stop()).expectBlocked(/does not declare/);
  expect(emitted).toEqual(["done", { n: 1 }]);
  const two = define("two", (plan) => void plan.onStop(() => block("two")));
  const before = appRuntime(app)?.describe();
  expect(() => app.include(two())).toThrow(/two 1.0.0 and one 1.0.0 both declare Stop/);
  expect([app.strategies.map(({ name }) => name), appRuntime(app)?.describe()]).toEqual([["one"], before]);
  expect(app.include(two(), { onConflict: "order" }).strategies.length).toBe(2);
  const sly = define("sly", (plan) => void plan.preTool("Bash", () => undefined));
  expect(() => sly()).toThrow(expect.objectContaining({ code: "sdk/undeclared-hook" }));
});

test("a strategy is built from its defaults and the options of the call", async () => {
  const quota = defineStrategy<{ most: number; word: string }>({
    ...{ name: "quota", version: "1.0.0", hooks: ["PreToolUse:Bash"], defaults: { most: 3, word: "calls" } },
    build: (plan, { most, word }) => void plan.preTool("Bash", () => deny(`at most ${most} ${word}`)),
  });
  (await testClient(createApp().include(quota())).preTool("Bash", bash)).expectDenied("at most 3 calls");
  (await testClient(createApp().include(quota({ most: 5 }))).preTool("Bash", bash)).expectDenied("at most 5 calls");
});

test("observers see frozen data, cannot change the answer, and cost nothing when absent", async () => {
  const kinds: string[] = [];
  const app = createApp()
    .observe((seen) => {
      kinds.push(seen.kind);
      (seen as { kind: string }).kind = "changed";
    })
    .preTool(() => deny("no"));
  (await testClient(app).preTool("Bash", bash)).expectDenied("no");
  expect(kinds).toEqual(["hook-start", "handler-start", "handler-end", "hook-end"]);
  expect(() => createApp().observe("hook-begin" as never, () => undefined)).toThrow(/not a kind of observation/);
});

test("providers are made once per event, may use each other, and are disposed", async () => {
  const made: string[] = [];
  const app = createApp()
    .provide("base", () => made.push("base"), { dispose: (count) => void made.push(`gone ${count}`) })
    .provide("sum", async (ctx) => ctx.base + 1, { dispose: () => void made.push("gone before what it uses") })
    .onPrompt(async (_event, { sum }) => context(String(await sum)))
    .onPrompt(async (_event, ctx) => context(String(ctx.base)));
  const result = await testClient(app).prompt("hi");
  expect([result.additionalContext, made]).toEqual([
    ["2", "1"],
    ["base", "gone before what it uses", "gone 1"],
  ]);
  expect(() => app.provide("git", () => 1)).toThrow(expect.objectContaining({ code: "sdk/name-taken" }));
  const ring = createApp()
    .provide("a", async (ctx): Promise<unknown> => (ctx as unknown as { b: unknown }).b)
    .provide("b", async (ctx): Promise<unknown> => {
      await Promise.resolve();
      return (ctx as unknown as { a: unknown }).a;
    })
    .onPrompt({ onFailure: "block" }, async (_event, { a }) => void (await a));
  (await testClient(ring).prompt("hi")).expectBlocked("a → b → a");
});

test("a schema checks a tool's input for the handlers named for it", async () => {
  const schema = (input: unknown) => {
    const { command } = input as { command?: unknown };
    if (typeof command !== "string") throw new Error("command must be text");
    return { command: command.trim() };
  };
  const app = createApp({ onFailure: "block" })
    .registerToolEvent("Bash", schema)
    .preTool("Bash", ({ input }) => (input.command === "ls" ? allow("trimmed") : undefined));
  (await testClient(app).preTool("Bash", { command: " ls " })).expectAllowed("trimmed");
  (await testClient(app).preTool("Bash", { command: 1 } as never)).expectDenied("command must be text");
});

test("a middleware that returns no answer is a failure of the app", async () => {
  const odd = createApp({ onFailure: "block" }).use(() => ({ ok: true }) as never);
  (await testClient(odd).preTool("Bash", bash)).expectDenied(/expected an answer/);
});
