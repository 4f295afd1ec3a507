import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Engine, EngineOptions, Notice, WakeRequest } from "../../src/engine/internal.ts";
import { until } from "../until.ts";
import { bash, command, on, openIn, processesWith, writeUserSettings } from "./world.ts";

const session = { session_id: "s-1" };

test("answers are handed over once each, in order of ending, context and message both as texts", async () => {
  const says = (context: string, message: string) =>
    JSON.stringify({
      systemMessage: message,
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: context },
    });
  const { engine, project } = await openIn(
    on(
      "PostToolUse",
      command(`until [ -e go ]; do sleep 0.02; done; echo '${says("slow", "b")}'`, { async: true }),
      command(`echo '${says("quick", "a")}'`, { async: true }),
    ),
  );
  await engine.fire("PostToolUse", { ...bash, ...session, tool_response: {} });
  await ended(engine, 1);
  writeFileSync(join(project, "go"), "");
  await ended(engine, 2);
  expect(engine.background.take("s-2")).toEqual([]);
  expect(engine.background.take("s-1").map(({ texts }) => texts)).toEqual([
    ["quick", "a"],
    ["slow", "b"],
  ]);
  expect(engine.background.take("s-1")).toEqual([]);
  expect(engine.background.list().map(({ delivered }) => delivered)).toEqual([true, true]);
});

test("an ill-typed field is dropped with a warning and the rest is delivered", async () => {
  const answer = { systemMessage: 3, hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "noted" } };
  const { engine } = await openIn(on("PostToolUse", command(`echo '${JSON.stringify(answer)}'`, { async: true })));
  await engine.fire("PostToolUse", { ...bash, ...session });
  await ended(engine, 1);
  expect(engine.background.take("s-1").map(({ texts }) => texts)).toEqual([["noted"]]);
  const { warnings } = await engine.fire("Notification", {});
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: "output-invalid", message: expect.stringContaining("systemMessage") }),
  );
});

test("what a hook prints after it sent itself into the background is its answer", async () => {
  const answer = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "later" } };
  const { engine } = await openIn(on("PostToolUse", `echo '{"async":true}'; echo '${JSON.stringify(answer)}'`));
  const outcome = await engine.fire("PostToolUse", { ...bash, ...session });
  expect(outcome.runs).toMatchObject([{ background: true, ended: { by: "background" } }]);
  await ended(engine, 1);
  expect(engine.background.take("s-1").map(({ texts }) => texts)).toEqual([["later"]]);
});

test("asyncTimeout counts from the moment a hook goes into the background, in milliseconds", async () => {
  const { engine } = await openIn(
    on("PostToolUse", `echo '{"async":true,"asyncTimeout":200}'; sleep 60; echo '{"systemMessage":"never"}'`),
  );
  await engine.fire("PostToolUse", { ...bash, ...session });
  expect(engine.background.list()).toMatchObject([{ limitMs: 200 }]);
  await ended(engine, 1);
  expect(engine.background.take("s-1")).toEqual([]);
});

test("a denial in the line that sends a hook into the background is a warning that names it", async () => {
  const { engine } = await openIn(on("PreToolUse", `echo '{"async":true,"decision":"block","reason":"No."}'`));
  await engine.fire("PreToolUse", { ...bash, ...session });
  const { warnings } = await engine.fire("Notification", {});
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: "output-ignored", message: expect.stringContaining("also holds decision") }),
  );
});

test("a failed hook whose denial counts is not reported as if the operation continued", async () => {
  const answer = '{"async":"soon","decision":"block","reason":"No."}';
  const { engine } = await openIn(on("PreToolUse", `echo '${answer}'; kill -9 $$`));
  const { decision, warnings } = await engine.fire("PreToolUse", { ...bash, ...session });
  expect(decision).toBe("deny");
  const failed = warnings.filter(({ code }) => code === "hook-failed").map(({ message }) => message);
  expect(failed).toHaveLength(1);
  expect(failed[0]).not.toContain("continues");
});

test("each background hook has an entry; at most 8 run at once, the others wait and none is dropped", async () => {
  const hooks = Array.from({ length: 11 }, (_, n) =>
    command(`touch started-${n}; until [ -e go ]; do sleep 0.02; done; echo '{"systemMessage":"${n}"}'`, {
      async: true,
      timeout: 25,
    }),
  );
  const { engine, project } = await openIn(on("PostToolUse", ...hooks));
  await engine.fire("PostToolUse", { ...bash, ...session });
  const states = () => engine.background.list().map(({ state }) => state);
  await until("eight run", () => states().filter((state) => state === "running").length === 8);
  expect(states().filter((state) => state === "waiting")).toHaveLength(3);
  await until("started-7 is there", () => existsSync(join(project, "started-7")));
  expect(existsSync(join(project, "started-8"))).toBe(false);
  expect(engine.background.list()[0]).toMatchObject({
    hook: { event: "PostToolUse", type: "command" },
    sessionId: "s-1",
    toolName: "Bash",
    limitMs: 25_000,
    stdout: "",
    stderr: "",
    delivered: false,
  });

  writeFileSync(join(project, "go"), "");
  await ended(engine, 11);
  const texts = engine.background.take("s-1").flatMap((answer) => answer.texts);
  expect(texts.map(Number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("closing ends what still runs, as cancelled, and delivers nothing", async () => {
  const notices: Notice[] = [];
  const { engine, mark } = await openIn(on("PostToolUse", command("sleep 60", { async: true })), {
    ports: { observe: (notice) => notices.push(notice) },
  });
  await engine.fire("PostToolUse", { ...bash, ...session });
  await until("it runs", () => engine.background.list().length === 1);
  await engine.close();
  expect(notices.filter(({ kind }) => kind === "background-ended")).toMatchObject([
    { record: { ended: { by: "cancelled" }, background: true } },
  ]);
  if (process.platform === "linux") expect(processesWith(mark)).toEqual([]);
});

test("waitMs grants time first, to hooks that wait for their turn too", async () => {
  const hooks = Array.from({ length: 10 }, (_, n) =>
    command(`until [ -e go ]; do sleep 0.02; done; echo ${n} >> log`, { async: true }),
  );
  const { engine, project } = await openIn(on("PostToolUse", ...hooks));
  await engine.fire("PostToolUse", bash);
  const closing = engine.close({ waitMs: 60_000 });
  writeFileSync(join(project, "go"), "");
  await closing;
  expect(readFileSync(join(project, "log"), "utf8").trim().split("\n")).toHaveLength(10);
});

test("a reload leaves background hooks running", async () => {
  const says = `echo '{"systemMessage":"done"}'`;
  const { engine, home, project } = await openIn(
    on("PostToolUse", command(`until [ -e go ]; do sleep 0.02; done; ${says}`, { async: true })),
  );
  await engine.fire("PostToolUse", { ...bash, ...session });
  writeUserSettings(home, {});
  await engine.reload();
  writeFileSync(join(project, "go"), "");
  await ended(engine, 1);
  expect(engine.background.take("s-1").map(({ texts }) => texts)).toEqual([["done"]]);
});

test("a failed background hook is reported with the next event", async () => {
  const { engine } = await openIn(on("PostToolUse", command("echo out of paper >&2; exit 1", { async: true })));
  await engine.fire("PostToolUse", bash);
  await ended(engine, 1);
  const { warnings } = await engine.fire("PostToolUse", { ...bash, tool_response: {} });
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: "hook-failed", message: expect.stringContaining("out of paper") }),
  );
});

test("forceSync awaits async hooks and uses their answers", async () => {
  const { engine } = await openIn(
    on("PreToolUse", command("echo no >&2; exit 2", { async: true }), `echo '{"async":true}'`),
  );
  const outcome = await engine.fire("PreToolUse", bash, { forceSync: true });
  expect(outcome).toMatchObject({
    decision: "deny",
    reason: "no",
    runs: [
      { background: false, ended: { code: 2 } },
      { background: false, ended: { code: 0 } },
    ],
  });
});

test.each([
  ["stderr", "echo 'tests are red' >&2; exit 2"],
  ["stdout when stderr is empty", "echo 'tests are red'; exit 2"],
])("asyncRewake wakes the agent with %s on exit 2", async (_, text) => {
  const calls: WakeRequest[] = [];
  const { engine } = await openIn(on("PostToolUse", command(text, { asyncRewake: true })), {
    interactive: true,
    ports: { wake: (call) => calls.push(call) },
  });
  const outcome = await engine.fire("PostToolUse", { ...bash, ...session });
  expect(outcome).toMatchObject({ decision: "none", runs: [{ background: true }] });
  await ended(engine, 1);
  expect(calls).toMatchObject([
    { sessionId: "s-1", hook: { name: text }, occasion: "PostToolUse:Bash", text: "tests are red" },
  ]);
  expect(engine.background.take("s-1")).toEqual([]);
});

test("other ends of an asyncRewake hook deliver like async", async () => {
  const calls: WakeRequest[] = [];
  const hook = command(`echo '{"systemMessage":"all green"}'`, { asyncRewake: true });
  const { engine } = await openIn(on("PostToolUse", hook), {
    interactive: true,
    ports: { wake: (call) => calls.push(call) },
  });
  await engine.fire("PostToolUse", { ...bash, ...session });
  await ended(engine, 1);
  expect(engine.background.take("s-1").map(({ texts }) => texts)).toEqual([["all green"]]);
  expect(calls).toEqual([]);
});

test("without a way to wake, asyncRewake is awaited and exit 2 blocks", async () => {
  const settings = on("PreToolUse", command("echo no >&2; exit 2", { asyncRewake: true }));
  for (const interactive of [true, false]) {
    const { engine } = await openIn(settings, { interactive });
    expect(await engine.fire("PreToolUse", bash)).toMatchObject({ decision: "deny", reason: "no" });
  }
});

test("a headless host that gives a wake port is woken", async () => {
  const calls: WakeRequest[] = [];
  const settings = on("PostToolUse", command("echo 'tests are red' >&2; exit 2", { asyncRewake: true }));
  const { engine } = await openIn(settings, { interactive: false, ports: { wake: (call) => calls.push(call) } });
  expect((await engine.fire("PostToolUse", { ...bash, ...session })).runs).toMatchObject([{ background: true }]);
  await ended(engine, 1);
  expect(calls).toMatchObject([{ sessionId: "s-1", text: "tests are red" }]);
});

async function ended(engine: Engine, count: number): Promise<void> {
  await until(
    `${count} have ended`,
    () => engine.background.list().filter(({ state }) => state === "ended").length === count,
  );
}

test("what a background hook decides, rewrites or stops is dropped with a warning that names it", async () => {
  const rewrite = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "true" } } };
  const { engine } = await openIn(
    on(
      "PreToolUse",
      command("exit 2", { async: true }),
      command(`echo '${JSON.stringify(rewrite)}'`, { async: true }),
      command(`echo '{"continue":false}'`, { async: true }),
      command("exit 0", { async: true }),
    ),
  );
  await engine.fire("PreToolUse", { ...bash, ...session });
  await ended(engine, 4);
  const { warnings } = await engine.fire("Notification", {
    ...session,
    message: "x",
    notification_type: "idle_prompt",
  });
  const messages = warnings.filter(({ code }) => code === "output-ignored").map(({ message }) => message);
  expect(messages.sort()).toEqual([
    expect.stringMatching(/^Hook echo .* so its continue: false came too late/),
    expect.stringMatching(/^Hook echo .* so its rewritten input came too late/),
    expect.stringMatching(/^Hook exit 2 .* so its deny came too late for PreToolUse and does not count/),
  ]);
});

test("onFailure block on a hook that is not awaited is a warning when settings are loaded", async () => {
  const settings = on(
    "PreToolUse",
    command("exit 1", { async: true, onFailure: "block" }),
    command("exit 3", { asyncRewake: true, onFailure: "block" }),
    command("exit 4", { onFailure: "block" }),
  );
  const ignored = async (options: EngineOptions) =>
    (await openIn(settings, options)).engine.warnings.map(({ message }) => /a hook with (\w+)/.exec(message)?.[1]);
  expect(await ignored({ ports: { wake: () => undefined } })).toEqual(["async", "asyncRewake"]);
  expect(await ignored({})).toEqual(["async"]);
});

test.each([
  [{ async: true }, { asyncRewake: true, onFailure: "block" }],
  [{ asyncRewake: true, onFailure: "block" }, { async: true }],
] as const)("of equal hooks the one that is awaited counts: %j, %j", async (...copies) => {
  const { engine } = await openIn(on("PreToolUse", ...copies.map((more) => command("echo no >&2; exit 2", more))));
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
});

test.each([
  ["condition", { if: "Bash((" }, {}],
  ["matcher", {}, { matcher: "Bash(" }],
  ["command", { command: "" }, {}],
])("a guard with asyncRewake and an invalid %s denies where the host waits for it", async (_, hook, group) => {
  const guard = { type: "command", command: "exit 0", asyncRewake: true, onFailure: "block", ...hook };
  const settings = { hooks: { PreToolUse: [{ ...group, hooks: [guard] }] } };
  const decision = async (options: EngineOptions) =>
    (await (await openIn(settings, options)).engine.fire("PreToolUse", bash)).decision;
  expect(await decision({})).toBe("deny");
  expect(await decision({ ports: { wake: () => undefined } })).toBe("none");
});
