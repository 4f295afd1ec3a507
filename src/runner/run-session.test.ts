import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asking } from "./fixtures/asking.ts";
import { runSession } from "./run-session.ts";
import { runSessions } from "./run-sessions.ts";
import type { SessionEvent } from "./session-call.ts";

test("the answer comes from the transcript, counted and priced by ourselves", async () => {
  const { call, seen, left } = await asking("ordinary");
  const result = await runSession(call("hello; $(touch x) 'there'"));
  expect(result).toMatchObject({
    answer: "heard: hello; $(touch x) 'there'",
    answerSource: "transcript",
    ended: "answered",
    exitCode: 0,
    turns: 1,
    usage: { input: 10, output: 2 },
    costUsd: 0.000_06,
    agentReportedCostUsd: 0.000_06,
    warnings: [],
  });
  expect(seen().args.join(" ")).not.toContain("hello");
  expect(left()).toEqual([]);
});

test("the child inherits no identity of a calling session, except the recursion guard", async () => {
  const { call, env, seen } = await asking("ordinary");
  const calling = {
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: "s",
    CLAUDE_CODE_ENTRYPOINT: "cli",
    CLAUDE_CODE_CHILD_SESSION: "1",
    CLAUDE_ENV_FILE: "/e",
    CLAUDE_PROJECT_DIR: "/p",
    AI_AGENT: "x",
    HOOK_EVENT: "Stop",
    HOOKLINE_DEPTH: "1",
    HOOKLINE_RUN: "outer",
  };
  await runSession(call("hi", { env: { ...env, ...calling } }));
  const names = Object.keys(seen().env).filter((name) => name in calling);
  expect(names.sort()).toEqual(["HOOKLINE_DEPTH", "HOOKLINE_RUN"]);
  expect(seen().env["HOOKLINE_RUN"]).toMatch(/^outer\/./);
});

test("an onEvent callback that throws does not lose the answer", async () => {
  const { call } = await asking("ordinary");
  const onEvent = () => {
    throw new Error("oops");
  };
  expect(await runSession(call("hi", { onEvent }))).toMatchObject({
    answer: "heard: hi",
    warnings: [{ code: "observer-threw", message: expect.stringContaining("oops") }],
  });
});

test("an onEvent whose promise is rejected is a warning of the run and does not end the program", async () => {
  const { call } = await asking("ordinary");
  const onEvent = async (): Promise<void> => {
    throw new Error("oops");
  };
  expect(await runSession(call("hi", { onEvent }))).toMatchObject({
    answer: "heard: hi",
    warnings: [{ code: "observer-threw", message: expect.stringContaining("oops") }],
  });
});

test("a late last line is waited for, and the payload of the hook is an event", async () => {
  const { call } = await asking("late");
  const events: SessionEvent[] = [];
  const result = await runSession(call("hi", { onEvent: (event) => events.push(event) }));
  expect(result).toMatchObject({ answer: "heard: hi", answerSource: "transcript" });
  expect(
    events.map((event) => (event.kind === "hook" ? event.payload["hook_event_name"] : event.message["type"])),
  ).toEqual(["system", "assistant", "Stop", "result"]);
});

test("settings of the call keep their hooks next to ours", async () => {
  const { call, root } = await asking("ordinary");
  const own = { hooks: [{ type: "command", command: `touch '${root}/mine'` }] };
  const result = await runSession(call("hi", { settings: { hooks: { Stop: [own] } } }));
  expect(result.warnings).toEqual([]);
  expect(readdirSync(root)).toContain("mine");
});

test("without hooks the answer comes from the transcript, with a warning that no hook reported", async () => {
  const { call } = await asking("silent");
  const result = await runSession(call("hi"));
  expect(result).toMatchObject({ answer: "heard: hi", answerSource: "transcript", ended: "answered" });
  expect(result.warnings.map(({ code }) => code)).toEqual(["hook-not-heard"]);
});

test("unapproved settings of the folder are not loaded, with a warning", async () => {
  const { call, cwd, seen } = await asking("ordinary");
  await mkdir(join(cwd, ".claude"));
  const hook = { hooks: [{ type: "command", command: "true" }] };
  await writeFile(join(cwd, ".claude/settings.json"), JSON.stringify({ hooks: { Stop: [hook] } }));
  const careful = await runSession(call("hi"));
  expect(careful.warnings.map(({ code }) => code)).toEqual(["project-settings-skipped"]);
  expect(seen().args).toContain("--setting-sources");
  await runSession(call("hi", { projectSettings: true }));
  expect(seen().args).not.toContain("--setting-sources");
});

test("project settings that name a helper program are not loaded without approval", async () => {
  const { call, cwd, seen } = await asking("ordinary");
  await mkdir(join(cwd, ".claude"));
  const skips = async (file: string, text: string): Promise<boolean> => {
    await writeFile(join(cwd, ".claude", file), text);
    await runSession(call("hi"));
    await writeFile(join(cwd, ".claude", file), "{}");
    return seen().args.includes("--setting-sources");
  };
  expect([
    await skips("settings.json", '{"apiKeyHelper":"touch canary"}'),
    await skips("settings.local.json", '{"somethingNew":{}}'),
    await skips("settings.json", '{ "apiKeyHelper": cut'),
    await skips("settings.json", '{"model":"m","permissions":{"deny":["Bash"]},"hooks":{}}'),
  ]).toEqual([true, true, true, false]);
});

test("a resumed session is counted from its last position", async () => {
  const { call } = await asking("ordinary");
  const first = await runSession(call("one"));
  const second = await runSession(call("two", { resume: first.sessionId }));
  expect(second).toMatchObject({ answer: "heard: two", sessionId: first.sessionId, usage: { input: 10, output: 2 } });
});

test("an agent that counts a resumed session as a whole causes no warning; any other difference does", async () => {
  const { call } = await asking("sums");
  const first = await runSession(call("one"));
  const resumed = await runSession(call("two", { resume: first.sessionId }));
  expect(resumed).toMatchObject({ usage: { input: 10, output: 2 }, agentReportedCostUsd: 0.000_12, warnings: [] });
  const third = await runSession(call("three", { resume: first.sessionId }));
  expect(third.warnings.map(({ code }) => code)).toEqual(["tokens-differ", "cost-differs"]);
});

test("a child that is missing or fails is an error with a message", async () => {
  const { call } = await asking("crash");
  expect(await runSession(call("hi"))).toMatchObject({ ended: "error", exitCode: 3, error: "it broke" });
  const missing = await runSession(call("hi", { agent: { file: "/no/such/agent" } }));
  expect(missing).toMatchObject({ ended: "error", exitCode: null });
  expect(missing.error).toContain("/no/such/agent");
});

test("an agent that reports success and exits with another code than 0 is an error that names the code", async () => {
  const { call } = await asking("late-crash");
  const error = "the agent reported success and then exited with code 3";
  expect(await runSession(call("hi"))).toMatchObject({ ended: "error", exitCode: 3, error, answer: "heard: hi" });
});

test.each([
  ["garbage", "the agent exited with code 0 but printed no result line. It printed: not json"],
  ["cut", "the agent exited with code 0 but printed no result line"],
  ["no-result", "the agent exited with code 0 but printed no result line"],
  ["no-session", "the agent printed a result line but began no session"],
  ["odd-result", "the agent's result line reports neither success nor an error"],
])("an agent that exits with 0 after %s is an error, and its tokens are unknown", async (mode, error) => {
  const { call } = await asking(mode);
  const result = await runSession(call("hi"));
  expect(result).toMatchObject({ ended: "error", exitCode: 0, usage: null, costUsd: null });
  expect(result.error).toContain(error);
  expect(result.resumeCommands).toBeUndefined();
});

test("an answer of several text blocks comes back whole", async () => {
  const { call } = await asking("blocks");
  const result = await runSession(call("hi"));
  expect(result).toMatchObject({ answer: "One.\nTwo.\nheard: hi", answerSource: "transcript", ended: "answered" });
});

test("a long text of a subagent is not the answer and is not lost", async () => {
  const { call } = await asking("flood");
  expect(await runSession(call("hi"))).toMatchObject({ answer: "heard: hi", ended: "answered" });
});

test("several results keep their order; a failure stops no other session without failFast", async () => {
  const { call } = await asking("ordinary");
  const broken = { agent: { file: "/no/such/agent" } };
  const calls = [
    call("a"),
    call("b", broken),
    call("c"),
    call("d", { resume: "00000000-0000-4000-8000-000000000000" }),
  ];
  const results = await runSessions(calls, { limit: 2 });
  expect(results.map(({ ended, answer }) => [ended, answer])).toEqual([
    ["answered", "heard: a"],
    ["error", ""],
    ["answered", "heard: c"],
    ["error", ""],
  ]);
  const first = await runSessions([call("b", broken), call("c")], { limit: 1, failFast: true });
  expect(first.map(({ ended }) => ended)).toEqual(["error", "interrupted"]);
});

test("a session whose files cannot be written ends no other session", async () => {
  const { call, env } = await asking("ordinary");
  const calls = [call("a", { env: { ...env, HOME: "/dev/null", HOOKLINE_HOME: undefined } }), call("b")];
  const results = await runSessions(calls);
  expect(results.map(({ ended, answer }) => [ended, answer])).toEqual([
    ["error", ""],
    ["answered", "heard: b"],
  ]);
  expect(results[0]?.error).toContain("ENOTDIR");
});

test("an invalid call is refused at once", async () => {
  const { call } = await asking("ordinary");
  await expect(runSession(call("  "))).rejects.toMatchObject({ code: "host/no-prompt" });
  await expect(runSession(call("hi", { resume: "../x" }))).rejects.toMatchObject({ code: "host/bad-session-id" });
  await expect(runSession(call("hi", { fork: true }))).rejects.toMatchObject({ code: "host/bad-session-id" });
});

test("what onResult throws is a warning of that result, and the other sessions run", async () => {
  const { call } = await asking("ordinary");
  const onResult = () => {
    throw new Error("boom");
  };
  const results = await runSessions([call("a"), call("b")], { onResult });
  expect(results.map(({ answer, warnings }) => [answer, warnings])).toEqual([
    ["heard: a", [{ code: "observer-threw", message: "onResult threw: boom" }]],
    ["heard: b", [{ code: "observer-threw", message: "onResult threw: boom" }]],
  ]);
});

test("a call that is not a list is refused with an example", async () => {
  const problem = { code: "host/bad-option", message: expect.stringContaining('such as [{ prompt: "…" }]') };
  await expect(runSessions({ prompt: "hi" } as never)).rejects.toMatchObject(problem);
  await expect(runSessions(undefined as never)).rejects.toMatchObject(problem);
});
