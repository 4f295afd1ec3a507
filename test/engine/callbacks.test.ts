import fc from "fast-check";
import { expect, test } from "vitest";
import type { Handler } from "../../src/engine/index.ts";
import type { Callback, Hook, Outcome } from "../../src/protocol/index.ts";
import { bash, command, on, openIn } from "./world.ts";

test("EN-72 EN-73a a callback gets payload, tool use id and signal, and answers at once or later", async () => {
  const { engine } = await openIn({});
  const seen: unknown[] = [];
  engine.on("PreToolUse", "Bash", (payload, { toolUseId, signal }) => {
    seen.push(payload["tool_name"], toolUseId, signal instanceof AbortSignal);
    return { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "now" } };
  });
  engine.on("PreToolUse", async () => ({ kind: "deny", reason: "later" }));
  engine.on("PreToolUse", "Write", () => ({ kind: "deny", reason: "not mine" }));
  const outcome = await engine.fire("PreToolUse", { ...bash, tool_use_id: "t-1" });
  expect(outcome).toMatchObject({
    decision: "deny",
    reason: "later",
    additionalContext: ["now"],
    skipped: [{ why: "matcher" }],
  });
  expect(seen).toEqual(["Bash", "t-1", true]);
});

test("a handler of a known event has its fields typed, and may return nothing at all", async () => {
  const { engine } = await openIn({});
  const seen: string[] = [];
  engine.on("Notification", ({ message }) => void seen.push(message.toUpperCase()));
  engine.on("PreToolUse", "Bash", ({ tool_name, tool_input }) => {
    seen.push(tool_name.toUpperCase(), String(tool_input["command"]));
  });
  await engine.fire("Notification", { message: "done", notification_type: "idle_prompt" });
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
  expect(seen).toEqual(["DONE", "BASH", "ls"]);
});

test("EN-72 a throw, a rejection and an invalid return are failures, with errorMessage as their text if set", async () => {
  const { engine } = await openIn({});
  const wrong: Callback[] = [
    () => {
      throw new Error("thrown");
    },
    () => Promise.reject(new Error("rejected")),
    () => "allow" as never,
    () => ({ continue: "no" }) as never,
    () => [] as never,
  ];
  const session = engine.session("s-1");
  for (const callback of wrong) session.register("PreToolUse", undefined, { type: "callback", callback });
  const hook: Hook = {
    type: "callback",
    callback: () => Promise.reject(new Error("x")),
    errorMessage: "no network",
    onFailure: "block",
  };
  session.register("PreToolUse", undefined, hook);
  const outcome = await engine.fire("PreToolUse", { ...bash, session_id: "s-1" });
  expect(outcome.runs.map(({ answer }) => answer?.failure)).toEqual([
    "thrown",
    "rejected",
    expect.stringContaining("string"),
    expect.stringContaining("continue"),
    expect.stringContaining("list"),
    "no network",
  ]);
  expect(outcome).toMatchObject({ decision: "deny", reason: expect.stringContaining("no network") });
});

test("EN-72 callbacks share one payload; what they do to it reaches no other kind of hook", async () => {
  const { engine } = await openIn(on("UserPromptSubmit", 'grep -o \'"prompt":"[a-z]*"\''));
  const seen: unknown[] = [];
  const meddles: Handler = (payload) => {
    seen.push(payload);
    (payload as Record<string, unknown>)["prompt"] = "changed";
    return undefined;
  };
  engine.on("UserPromptSubmit", meddles);
  engine.on("UserPromptSubmit", meddles);
  const given = { prompt: "hello" };
  const { additionalContext } = await engine.fire("UserPromptSubmit", given);
  expect(additionalContext).toEqual(['"prompt":"hello"']);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBe(seen[1]);
});

test("EN-72 with strict the shared payload is deep-frozen", async () => {
  const { engine } = await openIn({}, { strict: true });
  engine.on("PreToolUse", ({ tool_input }) => {
    (tool_input as Record<string, unknown>)["command"] = "rm -r x";
    return undefined;
  });
  const { runs } = await engine.fire("PreToolUse", { ...bash, tool_input: { command: "ls" } });
  expect(runs[0]?.ended.by).toBe("threw");
});

test("EN-73 a function hook sees the conversation; false makes the agent go on with errorMessage", async () => {
  const { engine } = await openIn({}, { conversation: () => ["hello"] });
  const seen: unknown[] = [];
  engine.stopHooks.add({
    type: "function",
    function: (messages) => {
      seen.push(messages);
      return messages.length > 1;
    },
    errorMessage: "say more",
  });
  expect(await engine.fire("Stop", {})).toMatchObject({ decision: "deny", blocked: true, reason: "say more" });
  expect(seen).toEqual([["hello"]]);
});

test("EN-73 a function hook on any other event is skipped as unsupported", async () => {
  const { engine } = await openIn({});
  engine
    .session("s-1")
    .register("PreToolUse", undefined, { type: "function", function: () => false, errorMessage: "no" });
  expect(await engine.fire("PreToolUse", { ...bash, session_id: "s-1" })).toMatchObject({
    skipped: [{ why: "unsupported" }],
  });
});

test("EN-41 the same function registered twice runs twice", async () => {
  const { engine } = await openIn({});
  let calls = 0;
  const counts: Handler = () => {
    calls++;
    return undefined;
  };
  engine.on("PreToolUse", counts);
  const off = engine.on("PreToolUse", counts);
  await engine.fire("PreToolUse", bash);
  expect(calls).toBe(2);
  off();
  await engine.fire("PreToolUse", bash);
  expect(calls).toBe(3);
});

test("EN-74 a callback that never answers is a timeout, and its signal says so", async () => {
  const { engine } = await openIn({});
  let reason: unknown;
  const callback: Callback = (_payload, _id, signal) =>
    new Promise(() => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
    });
  engine.session("s-1").register("PreToolUse", undefined, { type: "callback", callback, timeout: 0.05 });
  const outcome = await engine.fire("PreToolUse", { ...bash, session_id: "s-1" });
  expect(outcome.runs).toMatchObject([{ ended: { by: "timeout", afterMs: 50 } }]);
  expect(reason).toMatchObject({ name: "TimeoutError" });
});

const answers = fc.oneof(
  fc.constant(undefined),
  fc.record({ kind: fc.constantFrom("allow", "ask", "deny", "defer"), reason: fc.constantFrom("a", "b") }),
  fc.record({ continue: fc.constant(false), stopReason: fc.constantFrom("x", "y") }),
  fc.record({
    hookSpecificOutput: fc.record({
      hookEventName: fc.constant("PreToolUse"),
      updatedInput: fc.record({ command: fc.constantFrom("ls -a", "ls -b") }),
    }),
  }),
  fc.constant({ decision: "maybe" }),
);

test("EN-42 with callbacks alone the outcome is what the full path gives", async () => {
  const alone = await openIn({});
  const beside = await openIn(on("PreToolUse", command("true", { if: "Bash" })));
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 5 }), async (said) => {
      const outcomes: Outcome[] = [];
      for (const { engine } of [alone, beside]) {
        const removals = said.map((answer) => engine.on("PreToolUse", () => answer as never));
        outcomes.push(await engine.fire("PreToolUse", bash));
        for (const remove of removals) remove();
      }
      const [quick, full] = outcomes.map(comparable);
      expect(quick).toEqual(full);
    }),
    { numRuns: 25 },
  );
});

/** Ids count registrations, and one of the engines has another hook. */
function comparable({ runs, warnings, ...outcome }: Outcome): object {
  return {
    ...outcome,
    verdicts: runs.filter(({ hook }) => hook.type === "callback").map(({ verdict, answer }) => ({ verdict, answer })),
    codes: warnings.map(({ code }) => code),
  };
}

test("EN-11 a closed engine refuses every call", async () => {
  const { engine } = await openIn(on("Stop", "true"));
  await engine.close();
  await engine.close();
  await expect(engine.fire("Stop", {})).rejects.toMatchObject({ code: "engine/closed" });
  for (const call of [
    () => engine.on("Stop", () => undefined),
    () => engine.reload(),
    () => engine.explain("Stop", {}),
  ]) {
    expect(call).toThrow("This engine is closed");
  }
});
