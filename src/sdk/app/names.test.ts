import { expect, test, vi } from "vitest";
import { blueprint, createApp, deny } from "../index.ts";
import { testClient } from "../testing/index.ts";
import { appRuntime } from "./app-runtime.ts";

test("the name of a handler is its option, its function or its place, and two blueprints give their handlers different names", async () => {
  const broken = (why: string) => () => {
    throw new Error(why);
  };
  const [one, other] = [blueprint("one"), blueprint("other")];
  one.preTool("Bash", broken("first"));
  other.preTool("Bash", broken("second"));
  function byFunction() {
    return undefined;
  }
  const app = createApp()
    .preTool("Bash", { name: "by-option" }, byFunction)
    .preTool("Bash", byFunction)
    .include(one)
    .include(other)
    .preTool(["Bash", "mcp__*"], () => undefined);
  const { trace, systemMessages } = await testClient(app).preTool("Bash", { command: "ls" });
  expect(trace.map(({ name }) => name)).toEqual([
    "by-option",
    "byFunction",
    "PreToolUse:Bash#3",
    "PreToolUse:Bash#4",
    "PreToolUse:Bash|mcp__*#5",
  ]);
  expect(systemMessages).toEqual([
    expect.stringMatching(/^Hook PreToolUse:Bash#3 failed on PreToolUse: first \(.*names\.test\.ts:8:\d+\)$/),
    expect.stringMatching(/^Hook PreToolUse:Bash#4 failed on PreToolUse: second \(.*names\.test\.ts:8:\d+\)$/),
  ]);
});

test("two copies of the package understand each other's apps, blueprints and answers", async () => {
  vi.resetModules();
  const copy = await import("../index.ts");
  expect(copy.createApp).not.toBe(createApp);
  const part = copy.blueprint("theirs");
  part.preTool("Bash", () => copy.deny("theirs"));
  const own = createApp().include(part as never);
  (await testClient(own).preTool("Bash", { command: "ls" })).expectDenied("theirs");
  const theirs = copy.createApp().preTool("Bash", () => deny("ours"));
  (await testClient(theirs).preTool("Bash", { command: "ls" })).expectDenied("ours");
  expect(appRuntime(theirs)?.describe()).toMatchObject([{ event: "PreToolUse", ids: ["PreToolUse:Bash"] }]);
  for (const none of [undefined, null, {}, () => undefined, "app"]) expect(appRuntime(none)).toBeUndefined();
});

test("a handler without a deadline keeps the default one", async () => {
  vi.useFakeTimers();
  const app = createApp()
    .preTool("Bash", { timeoutMs: 20 }, () => undefined)
    .preTool("Bash", { name: "guard" }, async () => {
      await vi.advanceTimersByTimeAsync(60);
      return deny("after a look");
    })
    .onStop({ timeoutMs: 20 }, () => undefined)
    .onStop({ timeoutMs: 90_000 }, () => undefined)
    .onMessageDisplay(() => undefined);
  (await testClient(app).preTool("Bash", { command: "ls" })).expectDenied("after a look");
  const deadlines = appRuntime(app)
    ?.describe()
    .map(({ event, deadlineMs }) => [event, deadlineMs]);
  expect(deadlines).toEqual([
    ["PreToolUse", 30_000],
    ["Stop", 90_000],
    ["MessageDisplay", 5_000],
  ]);
  const quick = createApp({ timeoutMs: 700 }).onStop(() => undefined);
  expect(appRuntime(quick)?.describe()).toMatchObject([{ deadlineMs: 700 }]);
});
