import { expect, expectTypeOf, test } from "vitest";
import { block, blueprint, createApp, defineStrategy, deny, type HookEvent } from "../index.ts";
import { testClient } from "../testing/index.ts";
import { appRuntime } from "./app-runtime.ts";

test("on takes any event; a known name has its type and its matcher, an unknown one a name and what came", async () => {
  const app = createApp()
    .on("Stop", ({ stopHookActive }) => void expectTypeOf(stopHookActive).toEqualTypeOf<boolean>())
    .on("PreToolUse", ["Bash", "Write"], ({ toolName }) => deny(`not ${toolName}`))
    .on("SessionStart", "resume", { name: "r" }, ({ source }) => void expectTypeOf(source).toBeString())
    .on("BrandNew", (event) => void expectTypeOf(event).toEqualTypeOf<HookEvent>());
  const client = testClient(app);
  (await client.preTool("Write", { file_path: "a", content: "b" })).expectDenied("not Write");
  (await client.preTool("Read", { file_path: "a" })).expectNoOpinion();
  expect((await client.sessionStart({ source: "startup" })).trace).toEqual([]);
  const { warnings, stdout, stderr, exitCode } = await client.raw({ hook_event_name: "BrandNew" });
  expect({ warnings, stdout, stderr, exitCode }).toEqual({ warnings: [], stdout: "", stderr: "", exitCode: 0 });
});

test("what is compared is the event's matcher value: a reason, a trigger, a type, the base name of a file", async () => {
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(name);
  const app = createApp()
    .onNotification(["idle_prompt", "auth_*"], note("notification"))
    .onSubagentStop("Explore", note("agent"))
    .onFileChanged(".env*", note("file"))
    .onPreCompact("manual", note("compact"));
  const client = testClient(app);
  await client.notification({ notification_type: "auth_success" });
  await client.notification({ notification_type: "other" });
  await client.subagentStop({ agent_type: "Explore" });
  await client.subagentStop({ agent_type: "Explorer" });
  await client.fileChanged({ file_path: "/home/dev/.env.local" });
  await client.fileChanged({ file_path: "/home/.env/dev" });
  await client.preCompact({ trigger: "auto" });
  expect(seen).toEqual(["notification", "agent", "file"]);
});

test("a matcher on an event without matchers is rejected", () => {
  const refused = { code: "sdk/bad-registration", message: expect.stringMatching(/nothing that "main" could be/) };
  expect(() => createApp().onStop("main", () => block("no"))).toThrow(expect.objectContaining(refused));
  expect(() => createApp().on("BrandNew", "main" as never, () => undefined)).toThrow(expect.objectContaining(refused));
});

test.each([
  ["Edit|Write", 'Write a list: ["Edit","Write"].'],
  ["Bash(rm *)", 'Name the tool alone ("Bash")'],
  ["mcp__github__.*", "only * is special"],
  ["^mcp__", "only * is special"],
  ["mcp__(a|b)__x", "only * is special"],
  [" Bash", "only * is special"],
  ["Edit, Write", "several as a list"],
])("a handler for %j, which no tool can be called, is refused with the way to write it", (what, wayOut) => {
  const refused = { code: "sdk/bad-registration", message: expect.stringContaining(wayOut) };
  expect(() => createApp().preTool(what, () => undefined)).toThrow(expect.objectContaining(refused));
  expect(() => createApp().postTool(["Read", what], () => undefined)).toThrow(expect.objectContaining(refused));
});

test("a matcher with | is refused on events without a tool too, and a regular expression everywhere", () => {
  const refused = expect.objectContaining({ code: "sdk/bad-registration" });
  expect(() => createApp().onSessionStart("startup|resume" as never, () => undefined)).toThrow(refused);
  expect(() => createApp().preTool(/Bash/ as never, () => undefined)).toThrow(refused);
  expect(() => createApp().onFileChanged("my file (1).txt", () => undefined)).not.toThrow();
  expect(() => createApp().preTool(["mcp__my-server.v2__*", "a:b/c"], () => undefined)).not.toThrow();
});

test("a misspelled onFailure is rejected", () => {
  const odd = (options: object) => () => createApp().preTool("Bash", { name: "guard", ...options }, () => undefined);
  const told = (message: RegExp) =>
    expect.objectContaining({ code: "sdk/bad-option", message: expect.stringMatching(message) });
  expect(odd({ onFailure: "Block" })).toThrow(
    told(/^The option "onFailure" of guard is "Block"; it must be "block" or/),
  );
  expect(odd({ onfailure: "block" })).toThrow(told(/^guard has no option "onfailure". Did you mean "onFailure"\?$/));
  for (const timeoutMs of ["5s", 0, -1, Number.NaN, null]) expect(odd({ timeoutMs })).toThrow(told(/milliseconds/));
  expect(() => createApp({ onFailure: "deny" as never })).toThrow(told(/of createApp is "deny"/));
  const strategy = { name: "s", version: "1", hooks: [], onFailure: "deny" as never, build: () => undefined };
  expect(() => defineStrategy(strategy)).toThrow(told(/of strategy s is "deny"/));
  expect(odd({ onFailure: undefined, timeoutMs: 1.5 })).not.toThrow();
});

test("a strategy whose build is asynchronous is refused, because its handlers would be registered too late", () => {
  const late = defineStrategy({
    name: "late",
    version: "1",
    hooks: ["PreToolUse:Bash"],
    build: (async () => undefined) as () => void,
  });
  const message = expect.stringContaining("build of strategy late is asynchronous");
  expect(() => createApp().include(late())).toThrow(expect.objectContaining({ code: "sdk/bad-registration", message }));
});

const passOn = (_event: unknown, _ctx: unknown, next: () => unknown) => next();

test.each([
  [
    "hooks of a strategy",
    () => defineStrategy({ name: "s", version: "1", hooks: "Stop", build: () => undefined } as never),
  ],
  ["build of a strategy", () => defineStrategy({ name: "s", version: "1", hooks: [] } as never)({})],
  ["scope of provide", () => createApp().provide("db", () => 1, { scope: "sesion" } as never)],
  ["factory of provide", () => createApp().provide("db", {} as never)],
  ["tool of registerToolEvent", () => createApp().registerToolEvent(["Bash"] as never, (input) => input)],
  ["pattern of registerToolEvent", () => createApp().registerToolEvent("mcp__x__*", (input) => input)],
  ["list of registerToolEvent", () => createApp().registerToolEvent("Bash|Edit", (input) => input)],
  ["schema of registerToolEvent", () => createApp().registerToolEvent("Bash", {} as never)],
  ["recheck of a handler", () => createApp().preTool("Bash", { recheck: "true" } as never, () => deny("no"))],
  ["name of a handler", () => createApp().preTool("Bash", { name: 5 } as never, () => deny("no"))],
  ["set in place of a list", () => createApp().preTool(new Set(["Bash"]) as never, () => deny("no"))],
  ["value in place of the app's options", () => createApp(5 as never)],
  ["log of an app", () => createApp({ log: "off" } as never)],
  ["onConflict of include", () => createApp().include(blueprint(), { onConflict: "ordr" } as never)],
  ["second part of include", () => createApp().include(blueprint(), blueprint() as never)],
  ["second middleware of use", () => (createApp().use as (...all: unknown[]) => unknown)(passOn, passOn)],
  ["option of testClient", () => testClient(createApp(), { cdw: "/" } as never)],
])("a wrong %s is refused when it is given", (_what, call) => {
  expect(call).toThrow(expect.objectContaining({ code: expect.stringMatching(/^sdk\/(bad-|no-handler)/) }));
});

test("a wrong call throws at once and leaves the app unchanged", () => {
  const app = createApp().onStop(() => undefined);
  const wrong: readonly [() => unknown, string][] = [
    [() => app.onStop(undefined as never), "sdk/no-handler"],
    [() => app.preTool("Bash", {}, "deny" as never), "sdk/no-handler"],
    [() => app.preTool("", () => undefined), "sdk/empty-match"],
    [() => app.preTool(["Bash", 1 as never], () => undefined), "sdk/empty-match"],
    [() => app.preTool(5 as never, () => undefined), "sdk/bad-registration"],
    [() => app.on("", () => undefined), "sdk/no-event"],
    [() => app.use(undefined as never), "sdk/no-handler"],
    [() => app.include({} as never), "sdk/not-includable"],
  ];
  for (const [call, code] of wrong) expect(call).toThrow(expect.objectContaining({ code }));
  expect(appRuntime(app)?.describe()).toMatchObject([{ event: "Stop", ids: ["Stop"] }]);
});

test("an option of a strategy that is given as undefined has its default, and one that it does not list is refused", () => {
  const seen: unknown[] = [];
  const strategy = defineStrategy<{ limit: number }>({
    name: "s",
    version: "1",
    hooks: [],
    defaults: { limit: 5 },
    options: ["limit"],
    build: (_plan, { limit }) => void seen.push(limit),
  });
  strategy({ limit: undefined as never });
  expect(seen).toEqual([5]);
  const message = 'strategy s has no option "limt". Did you mean "limit"?';
  expect(() => strategy({ limt: 1 } as never)).toThrow(expect.objectContaining({ code: "sdk/bad-option", message }));
});

test("a handler that a strategy registers after its build is refused, because no app would have it", () => {
  const kept: (() => unknown)[] = [];
  const late = defineStrategy({
    name: "late",
    version: "1",
    hooks: ["Stop"],
    build: (plan) => void kept.push(() => plan.onStop(() => undefined)),
  });
  createApp().include(late());
  expect(() => kept[0]?.()).toThrow(expect.objectContaining({ code: "sdk/already-included" }));
});
