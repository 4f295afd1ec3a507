import { expect, test } from "vitest";
import type { McpResult, ModelQuestion } from "../../src/engine/internal.ts";
import type { Hook } from "../../src/protocol/internal.ts";
import { bash, on, openIn } from "./world.ts";

const ask: Hook = { type: "prompt", prompt: "Is $ARGUMENTS safe?" };
const no = { ok: false, reason: "too risky" };

/** What an event comes to when the model answers so. */
async function judged(event: string, payload: object, reply: unknown, hook: Hook = ask) {
  const port = async () => reply;
  const { engine } = await openIn(on(event, hook), { ports: { model: port, agent: port } });
  return engine.fireUnknown(event, { ...payload });
}

test("the port gets prompt, payload, schema, and the model by name if the hook names one", async () => {
  const calls: ModelQuestion[] = [];
  const { engine } = await openIn(
    on("PreToolUse", ask, { type: "prompt", prompt: "Say no to nothing. It costs \\$5.", model: "large-1" }),
    {
      conversation: () => ["hello"],
      ports: {
        model: async (call) => {
          calls.push(call);
          return { ok: true };
        },
      },
    },
  );
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome).toMatchObject({ decision: "none", runs: [{ ended: { by: "answered" } }, {}] });
  const [first, second] = calls;
  expect(first?.prompt).toMatch(/^Is <event-data[^>]*>\n\{.*"tool_name":"Bash".*\}\n<\/event-data> safe\?$/s);
  expect(first).not.toHaveProperty("model");
  expect(first).not.toHaveProperty("conversation");
  expect(first?.schema).toMatchObject({ properties: { ok: { type: "boolean" }, reason: {}, impossible: {} } });
  expect(second).toMatchObject({ model: "large-1", hook: { event: "PreToolUse", type: "prompt" } });
  expect(second?.prompt).toMatch(/^Say no to nothing. It costs \$5\.\n\nARGUMENTS:\n<event-data/);
});

test("a prompt at the end of a turn also gets the conversation", async () => {
  const seen: unknown[] = [];
  const { engine } = await openIn(on("Stop", ask), {
    conversation: ({ session_id }) => [`of ${session_id}`],
    ports: { model: async ({ conversation }) => void seen.push(conversation) },
  });
  await engine.fire("Stop", { session_id: "s-1" });
  expect(seen).toEqual([["of s-1"]]);
});

test.each([
  ["PreToolUse", bash],
  ["UserPromptSubmit", { prompt: "hello" }],
  ["PostToolBatch", {}],
  ["TaskCreated", {}],
  ["TaskCompleted", {}],
])("ok: false denies on %s as exit 2 would", async (event, payload) => {
  expect(await judged(event, payload, no)).toMatchObject({ decision: "deny", blocked: true, reason: "too risky" });
});

test.each(["Stop", "SubagentStop"])(
  "ok: false makes the agent continue at %s; impossible lets it stop",
  async (event) => {
    const payload = { agent_type: "Explore", agent_id: "a-1" };
    expect(await judged(event, payload, no)).toMatchObject({ decision: "deny", blocked: true, reason: "too risky" });
    expect(await judged(event, payload, { ...no, impossible: true })).toMatchObject({
      decision: "none",
      blocked: false,
      systemMessages: ["too risky"],
    });
  },
);

test.each([
  ["PostToolUse", bash, { decision: "deny", blocked: false, reason: "too risky" }],
  ["TeammateIdle", {}, { decision: "deny", blocked: true, reason: "too risky" }],
])("on %s ok: false stops the run unless continueOnBlock; an agent never stops it", async (event, payload, fed) => {
  const stopped = { decision: "none", continue: false, stopReason: "too risky" };
  expect(await judged(event, payload, no)).toMatchObject(stopped);
  expect(await judged(event, payload, no, { ...ask, continueOnBlock: true })).toMatchObject({
    ...fed,
    continue: true,
  });
  expect(await judged(event, payload, no, { type: "agent", prompt: "Look." })).toMatchObject({
    ...fed,
    continue: true,
  });
});

test.each(["PermissionRequest", "PermissionDenied"])("%s ignores ok: false", async (event) => {
  expect(await judged(event, bash, no)).toMatchObject({ decision: "none", blocked: false, continue: true });
});

test("ok: true never allows, and any other shape is a failure that denies under block", async () => {
  expect(await judged("PreToolUse", bash, { ok: true })).toMatchObject({ decision: "none" });
  const wrong = [
    "It is ok: true, go on.",
    'Sure! {"ok": true}',
    { ok: "true" },
    { ok: true, decision: "allow" },
    { decision: "ALLOW" },
    null,
    [],
  ];
  for (const reply of wrong) {
    const open = await judged("PreToolUse", bash, reply);
    expect(open).toMatchObject({ decision: "none", runs: [{ ended: { by: "answered" } }] });
    expect(open.warnings.map(({ code }) => code)).toContain("hook-failed");
    const closed = await judged("PreToolUse", bash, reply, { ...ask, onFailure: "block" });
    expect(closed).toMatchObject({ decision: "deny", blocked: true });
  }
});

test("a model that fails is a failure", async () => {
  const { engine } = await openIn(on("PreToolUse", { ...ask, onFailure: "block" }), {
    ports: {
      model: async () => {
        throw new Error("overloaded");
      },
    },
  });
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("overloaded"),
    runs: [{ ended: { by: "threw", message: "overloaded" } }],
  });
});

test("a model that takes too long is a timeout", async () => {
  const { engine } = await openIn(on("PreToolUse", { ...ask, timeout: 0.05 }), {
    ports: { model: () => new Promise(() => undefined) },
  });
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({
    decision: "none",
    runs: [{ ended: { by: "timeout", afterMs: 50 } }],
  });
});

test("an agent answers by the same shape, without impossible; text like a function is text", async () => {
  const prompts: string[] = [];
  const { engine } = await openIn(on("Stop", { type: "agent", prompt: "() => process.exit()" }), {
    ports: {
      agent: async ({ prompt, schema }) => {
        prompts.push(prompt);
        expect(Object.keys((schema as { properties: object }).properties)).toEqual(["ok", "reason"]);
        return { ok: false, reason: "not yet", impossible: true };
      },
    },
  });
  const outcome = await engine.fire("Stop", {});
  expect(outcome).toMatchObject({ decision: "none", blocked: false, systemMessages: [] });
  expect(outcome.warnings.map(({ code }) => code)).toContain("hook-failed");
  expect(prompts[0]).toMatch(/^\(\) => process.exit\(\)\n/);
});

const tool: Hook = {
  type: "mcp_tool",
  server: "srv",
  tool: "check",
  input: { text: "run ${tool_input.command}!", whole: "${tool_input}", count: "${tool_input.n}", lost: "${nowhere}" },
};

/** What a tool call comes to when the server answers so. */
async function answered(result: McpResult, hook: Hook = tool) {
  const calls: unknown[] = [];
  const { engine } = await openIn(on("PreToolUse", hook), {
    ports: {
      mcp: async (call) => {
        calls.push(call);
        return result;
      },
    },
  });
  const outcome = await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls", n: 3 } });
  return { outcome, calls };
}

test("templates are filled in from the payload, a lone one keeps its type, a missing one is empty, with a warning", async () => {
  const { outcome, calls } = await answered({ connected: true, text: "", isError: false });
  expect(calls).toEqual([
    { server: "srv", tool: "check", input: { text: "run ls!", whole: { command: "ls", n: 3 }, count: 3, lost: "" } },
  ]);
  expect(outcome.warnings).toContainEqual(expect.objectContaining({ code: "template-missing", place: "nowhere" }));
});

test("the tool's text is read like stdout", async () => {
  const deny = {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
  };
  const { outcome } = await answered({ connected: true, text: JSON.stringify(deny), isError: false });
  expect(outcome).toMatchObject({ decision: "deny", reason: "no", runs: [{ ended: { by: "answered" } }] });
  expect((await answered({ connected: true, text: "looks fine", isError: false })).outcome.decision).toBe("none");
});

test("an error or a server that is not connected is a failure", async () => {
  const failed = { connected: true, text: "broken", isError: true } as const;
  for (const result of [failed, { connected: false } as const]) {
    expect((await answered(result)).outcome).toMatchObject({ decision: "none" });
    expect((await answered(result, { ...tool, onFailure: "block" })).outcome).toMatchObject({ decision: "deny" });
  }
});

test("without its port a hook is skipped; with onFailure block on a guard event that is a failure", async () => {
  const hooks: Hook[] = [ask, { type: "agent", prompt: "Look." }, tool];
  const { engine } = await openIn(on("PreToolUse", ...hooks));
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome.skipped.map(({ hook, why }) => [hook.type, why])).toEqual([
    ["prompt", "unsupported"],
    ["agent", "unsupported"],
    ["mcp_tool", "unsupported"],
  ]);
  const strict = await openIn(on("PreToolUse", ...hooks.map((hook): Hook => ({ ...hook, onFailure: "block" }))));
  const denied = await strict.engine.fire("PreToolUse", bash);
  expect(denied).toMatchObject({ decision: "deny", blocked: true, skipped: [] });
  expect(denied.runs.map(({ ended }) => ended.by)).toEqual(["not-started", "not-started", "not-started"]);
});
