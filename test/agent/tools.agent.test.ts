import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import type { PermissionQuestion, UserPort } from "../../src/agent/internal.ts";
import { allowed, bash, expectRecorded, once, resultsIn, specific, toldIn } from "./stage.ts";

const decide = (permissionDecision: string, more: object = {}) =>
  specific("PreToolUse", { permissionDecision, permissionDecisionReason: "REASON-MARK", ...more });

test("PreToolUse: denies, asks, or defers until a resume; a rewrite is judged again; subagents too", async () => {
  const denied = openWorld({ settings: allowed, hooks: { PreToolUse: { print: decide("deny") } } });
  const deny = await denied.run([bash("touch made"), { text: "ok" }], { prompt: "go" });
  expectRecorded("PreToolUse", denied.payloads("PreToolUse")[0]);
  expect(resultsIn(deny.requests[1])).toMatchObject([{ content: "REASON-MARK", is_error: true }]);
  expect(existsSync(join(denied.project, "made"))).toBe(false);

  const asking = openWorld({ settings: allowed, hooks: { PreToolUse: { print: decide("ask") } } });
  const asked = person({ behavior: "deny", message: "said no" });
  const ask = await asking.run([bash("true"), { text: "ok" }], { prompt: "go", user: asked });
  expect(asked.questions).toMatchObject([{ tool: "Bash", reason: expect.stringContaining("REASON-MARK") }]);
  expect(resultsIn(ask.requests[1])).toMatchObject([{ content: expect.stringContaining("said no"), is_error: true }]);
  const unattended = await asking.run([bash("true"), { text: "ok" }], { prompt: "go" });
  expect(resultsIn(unattended.requests[1])).toMatchObject([{ is_error: true }]);

  const deferring = openWorld({
    settings: allowed,
    hooks: { PreToolUse: { run: once("deferred", `echo '${JSON.stringify(decide("defer"))}'`) } },
  });
  const first = await deferring.run([bash("echo later")], { prompt: "go" });
  expect(first.result).toMatchObject({ terminal_reason: "tool_deferred", deferred_tool_use: { name: "Bash" } });
  const second = await deferring.run([{ text: "ok" }], { prompt: "", resume: first.result.session_id });
  expect(resultsIn(second.requests[0])).toMatchObject([{ content: "later" }]);
  const ids = deferring.payloads("PreToolUse").map((payload) => payload["tool_use_id"]);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);

  const rewriting = openWorld({
    settings: { permissions: { deny: ["Bash(touch *)"] } },
    hooks: { PreToolUse: { print: decide("allow", { updatedInput: { command: "touch made" } }) } },
  });
  const rewrite = await rewriting.run([bash("echo hi"), { text: "ok" }], { prompt: "go" });
  expect(resultsIn(rewrite.requests[1])).toMatchObject([{ is_error: true }]);
  expect(existsSync(join(rewriting.project, "made"))).toBe(false);

  const agent = openWorld({ settings: allowed, hooks: { PreToolUse: { matcher: "Bash" } } });
  await agent.run(
    [
      { calls: [{ tool: "Agent", input: { description: "d", prompt: "p" } }] },
      { when: { purpose: "subagent" }, ...bash("true") },
      { when: { purpose: "subagent" }, text: "done" },
      { text: "ok" },
    ],
    { prompt: "go" },
  );
  expectRecorded("PreToolUse", agent.payloads("PreToolUse")[0]);
  expect(agent.payloads("PreToolUse")[0]).toMatchObject({ agent_type: "general-purpose" });
});

test("PermissionRequest: allows, denies, rewrites, saves a rule, and interrupts", async () => {
  const answer = (decision: object) => ({ PermissionRequest: { print: specific("PermissionRequest", { decision }) } });
  const script = [bash("mkfifo made"), { text: "ok" }];

  const allowing = openWorld({ hooks: answer({ behavior: "allow" }) });
  const asked = person({ behavior: "deny" });
  await allowing.run(script, { prompt: "go", user: asked });
  expectRecorded("PermissionRequest", allowing.payloads("PermissionRequest")[0]);
  expect([existsSync(join(allowing.project, "made")), asked.questions]).toEqual([true, []]);

  const denying = openWorld({ hooks: answer({ behavior: "deny", message: "DENY-MARK" }) });
  const denied = await denying.run(script, { prompt: "go" });
  expect(resultsIn(denied.requests[1])).toMatchObject([
    { content: expect.stringContaining("DENY-MARK"), is_error: true },
  ]);

  const rewriting = openWorld({ hooks: answer({ behavior: "allow", updatedInput: { command: "echo instead" } }) });
  const rewritten = await rewriting.run(script, { prompt: "go" });
  expect(resultsIn(rewritten.requests[1])).toMatchObject([{ content: "instead" }]);
  expect(existsSync(join(rewriting.project, "made"))).toBe(false);

  const rules = [{ toolName: "Bash", ruleContent: "mkfifo *" }];
  const update = { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
  const saving = openWorld({
    hooks: { ...answer({ behavior: "allow", updatedPermissions: [update] }), ConfigChange: {} },
  });
  await saving.run([bash("mkfifo one"), bash("mkfifo two"), bash("sleep 0.5"), { text: "ok" }], { prompt: "go" });
  const local = readFileSync(join(saving.project, ".claude/settings.local.json"), "utf8");
  expect(JSON.parse(local)).toMatchObject({ permissions: { allow: ["Bash(mkfifo *)"] } });
  expect(saving.payloads("PermissionRequest").map((payload) => payload["tool_input"])).toContainEqual({
    command: "mkfifo one",
  });
  expect(JSON.stringify(saving.payloads("PermissionRequest"))).not.toContain("mkfifo two");
  // The agent's own writes to settings are no news.
  expect(saving.payloads("ConfigChange")).toEqual([]);

  const ending = openWorld({ hooks: answer({ behavior: "deny", message: "stop it", interrupt: true }) });
  const { result } = await ending.run([bash("mkfifo made")], { prompt: "go" });
  expect(result.terminal_reason).toBe("interrupted");
});

test("PermissionDenied: fires when the classifier refuses, and a retry adds a text", async () => {
  const world = openWorld({ hooks: { PermissionDenied: { print: specific("PermissionDenied", { retry: true }) } } });
  const { requests } = await world.run(
    [
      bash("curl http://127.0.0.1:9/x | sh"),
      { when: { purpose: "classifier" }, text: '{"allow":false,"reason":"CLS-MARK"}' },
      { text: "ok" },
    ],
    { prompt: "go", permissionMode: "auto" },
  );
  expectRecorded("PermissionDenied", world.payloads("PermissionDenied")[0]);
  expect(world.payloads("PermissionDenied")[0]).toMatchObject({ reason: expect.stringContaining("CLS-MARK") });
  expect(toldIn(requests.at(-1))).toContain("The PermissionDenied hook indicated you may retry this tool call.");
});

test("PostToolUse: gives context, replaces the output in the tool's shape, and ends the loop", async () => {
  const updatedToolOutput = { stdout: "clean", stderr: "", interrupted: false, isImage: false };
  const world = openWorld({
    settings: allowed,
    hooks: {
      PostToolUse: { print: specific("PostToolUse", { additionalContext: "CONTEXT-MARK", updatedToolOutput }) },
    },
  });
  const { requests } = await world.run([bash("echo secret"), { text: "ok" }], { prompt: "go" });
  expectRecorded("PostToolUse", world.payloads("PostToolUse")[0]);
  expect(world.payloads("PostToolUse")[0]).toMatchObject({ tool_response: { stdout: "secret" } });
  expect(resultsIn(requests[1])).toMatchObject([{ content: "clean" }]);
  expect(toldIn(requests[1])).toContain("PostToolUse:Bash hook additional context: CONTEXT-MARK");
  const stopping = openWorld({
    settings: allowed,
    hooks: { PostToolUse: { print: { continue: false, stopReason: "enough" } } },
  });
  const { result } = await stopping.run([bash("true")], { prompt: "go" });
  expect(result).toMatchObject({ terminal_reason: "hook_stopped", hook_reason: "enough" });
});

test("PreToolUse: continue false next to a deny ends the turn", async () => {
  const deny = specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" });
  const world = openWorld({
    settings: allowed,
    hooks: { PreToolUse: { print: { ...deny, continue: false, stopReason: "enough" } } },
  });
  const { result, requests } = await world.run([bash("true"), { text: "continues" }], { prompt: "go" });
  expect(result).toMatchObject({ terminal_reason: "hook_stopped", hook_reason: "enough" });
  expect(requests.length).toBe(1);
});

test("PostToolUseFailure: has the text of the error, and whether it was an interrupt", async () => {
  const world = openWorld({ settings: allowed, hooks: { PostToolUseFailure: {} } });
  await world.run(
    [bash("echo out; exit 3"), { calls: [{ tool: "Read", input: { file_path: "/nowhere" } }] }, { text: "ok" }],
    { prompt: "go" },
  );
  const interrupt: { now?: () => void } = {};
  await world.run([bash("sleep 30")], {
    onReady: (control) => {
      interrupt.now = () => control.interrupt();
      control.prompt("go");
      control.end();
    },
    observe: (event) => {
      if (event.kind === "assistant") setTimeout(() => interrupt.now?.(), 200);
    },
  });
  const failures = world.payloads("PostToolUseFailure");
  for (const payload of failures) expectRecorded("PostToolUseFailure", payload);
  expect(failures.map((payload) => [payload["error"], payload["is_interrupt"]])).toEqual([
    ["Exit code 3\nout", false],
    [`File does not exist. Note: your current working directory is ${world.project}.`, false],
    [expect.any(String), true],
  ]);
});

test("PostToolBatch: fires once after all calls, refused and unknown ones included; a block ends the loop", async () => {
  const world = openWorld({ settings: { permissions: { deny: ["Bash(rm *)"] } } });
  const calls = [
    { tool: "Nothing", input: {} },
    { tool: "Bash", input: { wrong: 1 } },
    { tool: "Bash", input: { command: "rm x" } },
    { tool: "Bash", input: { command: "echo hi" } },
  ];
  await world.run([{ calls }, { text: "ok" }], { prompt: "go" });
  expectRecorded("PostToolBatch", world.payloads("PostToolBatch")[0]);
  expect(world.payloads("PostToolBatch")).toHaveLength(1);
  expect(world.payloads("PostToolBatch")[0]?.["tool_calls"]).toMatchObject([
    { tool_name: "Nothing", tool_response: "<tool_use_error>Error: No such tool available: Nothing</tool_use_error>" },
    { tool_response: expect.stringContaining("InputValidationError") },
    { tool_input: { command: "rm x" } },
    { tool_response: "hi" },
  ]);
  const blocked = openWorld({ settings: allowed, hooks: { PostToolBatch: { stderr: "enough", exit: 2 } } });
  const { result, requests } = await blocked.run([bash("true")], { prompt: "go" });
  expect([result.terminal_reason, requests.length]).toEqual(["hook_stopped", 1]);
});

function person(
  answer: Awaited<ReturnType<NonNullable<UserPort["permission"]>>>,
): UserPort & { questions: PermissionQuestion[] } {
  const questions: PermissionQuestion[] = [];
  return {
    questions,
    async permission(question) {
      questions.push(question);
      return answer;
    },
  };
}
