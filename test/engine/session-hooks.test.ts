import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Notice } from "../../src/engine/internal.ts";
import type { HookRef, RunRecord } from "../../src/protocol/internal.ts";
import { until } from "../until.ts";
import { bash, command, on, openIn } from "./world.ts";

const call = (session_id: string) => ({ ...bash, session_id });

test("a session hook of any type runs for its session only, until it is removed", async () => {
  const { engine } = await openIn({}, { ports: { model: async () => ({ ok: false, reason: "the model says no" }) } });
  const session = engine.session("s-1");
  const removals = [
    session.register("PreToolUse", "Bash", command("echo 'the command says no' >&2; exit 2")),
    session.register("PreToolUse", undefined, { type: "prompt", prompt: "Is it safe?" }),
    session.register("PreToolUse", "Write", { type: "callback", callback: () => ({ kind: "deny", reason: "write" }) }),
  ];
  const outcome = await engine.fire("PreToolUse", call("s-1"));
  expect(outcome).toMatchObject({
    decision: "deny",
    reason: "the command says no",
    runs: [
      { hook: { source: "session", matcher: "Bash" } },
      { hook: { type: "prompt" }, verdict: { kind: "deny", reason: "the model says no" } },
    ],
    skipped: [{ why: "matcher", hook: { type: "callback" } }],
  });
  expect(await engine.fire("PreToolUse", call("s-2"))).toMatchObject({ decision: "none", runs: [], skipped: [] });

  removals[0]?.();
  removals[0]?.();
  expect((await engine.fire("PreToolUse", call("s-1"))).runs).toHaveLength(1);
  session.clear();
  expect(await engine.fire("PreToolUse", call("s-1"))).toMatchObject({ runs: [], skipped: [] });
  expect(engine.hasHookFor("PreToolUse")).toBe(false);
});

test("nothing is written to disk; hooks of files come first, callbacks last", async () => {
  const { engine, home } = await openIn(on("UserPromptSubmit", "echo file"));
  engine.on("UserPromptSubmit", () => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "callback" },
  }));
  engine.session("s-1").register("UserPromptSubmit", undefined, command("echo session"));
  const { additionalContext } = await engine.fire("UserPromptSubmit", { session_id: "s-1", prompt: "hello" });
  expect(additionalContext).toEqual(["file", "session", "callback"]);
  expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).not.toContain("session");
});

test("a hook that cannot be used is a wrong call", async () => {
  const { engine } = await openIn({});
  const register = (hook: object) => () => engine.session("s-1").register("Stop", undefined, hook as never);
  expect(register({ type: "command" })).toThrow("command");
  expect(register({ type: "comand", command: "true" })).toThrow("type");
  expect(() => engine.session("s-1").register("Stopp" as "Stop", undefined, command("true"))).toThrow(
    'Did you mean "Stop"?',
  );
});

test("onSuccess is called once per run that did not fail; what it throws is a warning", async () => {
  const { engine } = await openIn({});
  const calls: [HookRef, RunRecord][] = [];
  const session = engine.session("s-1");
  session.register("PreToolUse", undefined, command("exit 1"), {
    onSuccess: (hook, record) => void calls.push([hook, record]),
  });
  session.register("PreToolUse", undefined, command("true"), {
    onSuccess: () => {
      throw new Error("oops");
    },
  });
  const failed = await engine.fire("PreToolUse", call("s-1"));
  expect(calls).toEqual([]);
  expect(failed.warnings.map(({ code }) => code)).toEqual(["payload-incomplete", "hook-failed", "observer-threw"]);
  session.register("PreToolUse", undefined, command("echo no >&2; exit 2"), {
    onSuccess: (hook, record) => void calls.push([hook, record]),
  });
  const denied = await engine.fire("PreToolUse", call("s-1"));
  const run = denied.runs[2];
  expect(calls).toEqual([[run?.hook, run]]);
});

test("an onSuccess whose promise is rejected is a warning of the next outcome and does not end the host", async () => {
  const { engine } = await openIn({});
  const onSuccess = async (): Promise<void> => {
    throw new Error("oops");
  };
  engine.session("s-1").register("PreToolUse", undefined, command("true"), { onSuccess });
  await engine.fire("PreToolUse", call("s-1"));
  const { warnings } = await engine.fire("PreToolUse", call("s-1"));
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: "observer-threw", message: expect.stringContaining("oops") }),
  );
});

test("once is honored: after its first run that did not fail the hook is listed as once", async () => {
  const { engine, project } = await openIn({});
  const hook = command(`[ -e ${project}/ready ] || { touch ${project}/ready; exit 1; }; echo no >&2; exit 2`, {
    once: true,
  });
  engine.session("s-1").register("PreToolUse", undefined, hook);
  const fire = () => engine.fire("PreToolUse", call("s-1"));
  expect(await fire()).toMatchObject({ decision: "none", runs: [{ ended: { code: 1 } }], skipped: [] });
  expect(await fire()).toMatchObject({ decision: "deny", runs: [{ ended: { code: 2 } }], skipped: [] });
  expect(await fire()).toMatchObject({ decision: "none", runs: [], skipped: [{ why: "once" }] });
  await engine.reload();
  expect(await fire()).toMatchObject({ runs: [], skipped: [{ why: "once" }] });
});

test("once counts for each session of an engine", async () => {
  const { engine } = await openIn({});
  engine.stopHooks.add({ ...command("exit 0"), once: true });
  const ran = async (session_id: string) => (await engine.fire("Stop", { session_id })).runs.length;
  expect([await ran("s-1"), await ran("s-2"), await ran("s-1"), await ran("s-2")]).toEqual([1, 1, 0, 0]);
  engine.session("s-1").clear();
  expect([await ran("s-1"), await ran("s-2")]).toEqual([1, 0]);
});

test("a background hook with once that failed runs again", async () => {
  const notices: Notice[] = [];
  const { engine, project } = await openIn({}, { ports: { observe: (notice) => notices.push(notice) } });
  const hook = command(`[ -e ${project}/ready ] || { touch ${project}/ready; exit 1; }`, { once: true, async: true });
  engine.session("s-1").register("PreToolUse", undefined, hook);
  const fireAndWait = async (times: number) => {
    const outcome = await engine.fire("PreToolUse", call("s-1"));
    await until("they have ended", () => notices.filter(({ kind }) => kind === "background-ended").length === times);
    return outcome;
  };
  expect((await fireAndWait(1)).runs).toMatchObject([{ background: true }]);
  expect((await fireAndWait(2)).runs).toMatchObject([{ background: true }]);
  expect(await fireAndWait(2)).toMatchObject({ runs: [], skipped: [{ why: "once" }] });
});

test("session hooks are subject to policy", async () => {
  const { engine } = await openIn({ disableAllHooks: true });
  engine.session("s-1").register("PreToolUse", undefined, command("exit 2"));
  expect(await engine.fire("PreToolUse", call("s-1"))).toMatchObject({ runs: [], skipped: [{ why: "disabled" }] });
});

test("stop hooks are added, listed and removed at run time, and each step reaches the observer", async () => {
  const notices: Notice[] = [];
  const { engine } = await openIn({}, { ports: { observe: (notice) => notices.push(notice) } });
  const id = engine.stopHooks.add(command("echo more to do >&2; exit 2"));
  expect(engine.stopHooks.list()).toMatchObject([{ id, event: "Stop", source: "session" }]);
  expect(await engine.fire("Stop", { session_id: "any" })).toMatchObject({ blocked: true, reason: "more to do" });
  const failing = engine.stopHooks.add(command("exit 1"));
  await engine.fire("Stop", { session_id: "any" });
  engine.stopHooks.remove(id);
  engine.stopHooks.remove(failing);
  expect(engine.stopHooks.list()).toEqual([]);
  expect(await engine.fire("Stop", { session_id: "any" })).toMatchObject({ blocked: false, runs: [] });
  expect(notices.map(({ kind }) => kind).filter((kind) => kind.startsWith("stop-hook"))).toEqual([
    "stop-hook-added",
    "stop-hook-ran",
    "stop-hook-added",
    "stop-hook-ran",
    "stop-hook-ran",
    "stop-hook-removed",
    "stop-hook-removed",
  ]);
});

test("hooks of files cannot be removed this way, and policy counts for added ones", async () => {
  const { engine } = await openIn({ disableAllHooks: true, ...on("Stop", "exit 2") });
  const [listed] = engine.list();
  expect(() => engine.stopHooks.remove(listed?.hook.id ?? "")).toThrow("Hooks of files cannot be removed here");
  engine.stopHooks.add(command("exit 2"));
  expect(await engine.fire("Stop", {})).toMatchObject({
    blocked: false,
    skipped: [{ why: "disabled" }, { why: "disabled" }],
  });
});

test("session and stop hooks survive a reload", async () => {
  const { engine } = await openIn({});
  engine.session("s-1").register("Stop", undefined, command("true"));
  engine.stopHooks.add({ type: "function", function: () => false, errorMessage: "not yet" });
  await engine.reload();
  expect(await engine.fire("Stop", { session_id: "s-1" })).toMatchObject({ reason: "not yet", runs: [{}, {}] });
});
