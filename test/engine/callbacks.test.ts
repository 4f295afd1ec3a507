import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallbackHandler } from "../../src/engine/internal.ts";
import type { Callback, Hook, Outcome } from "../../src/protocol/internal.ts";
import { bash, command, on, openIn } from "./world.ts";

test("a callback gets payload, tool use id and signal, and answers at once or later", async () => {
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

test("a throw, a rejection and an invalid return are failures, with errorMessage as their text if set", async () => {
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

test("in-process handlers share one frozen copy of the payload; the host's own object is neither changed nor frozen", async () => {
  const { engine } = await openIn(on("PreToolUse", "cat > seen.json"));
  const seen: unknown[] = [];
  engine.on("PreToolUse", (payload) => {
    seen.push(payload);
    (payload.tool_input as Record<string, unknown>)["command"] = "rm -rf /";
  });
  engine.on("PreToolUse", (payload) => void seen.push(payload));
  const given = { ...bash, tool_input: { command: "ls", list: [{ a: 1 }] } };
  const { runs, decision } = await engine.fire("PreToolUse", given);
  expect(runs.map(({ ended }) => ended.by)).toEqual(["exit", "threw", "answered"]);
  expect(decision).toBe("none");
  expect(seen[0]).toBe(seen[1]);
  expect(seen[1]).toMatchObject({ tool_input: { command: "ls" } });
  expect(given.tool_input).toEqual({ command: "ls", list: [{ a: 1 }] });
  expect([given, given.tool_input, given.tool_input.list[0]].some(Object.isFrozen)).toBe(false);
});

test("the copy is made only when an in-process handler runs", async () => {
  const { engine } = await openIn({});
  let reads = 0;
  const input = {
    get command() {
      reads++;
      return "ls";
    },
  };
  engine.on("PreToolUse", "Write", () => undefined);
  await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: input });
  expect(reads).toBe(0);
  engine.on("PreToolUse", "Bash", () => undefined);
  engine.on("PreToolUse", "Bash", () => undefined);
  await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: input });
  expect(reads).toBe(1);
});

test("a function hook gets a frozen copy of the conversation", async () => {
  const conversation = [{ text: "hello" }];
  const { engine } = await openIn({}, { conversation: () => conversation });
  engine.stopHooks.add({
    type: "function",
    function: (messages) => {
      (messages as unknown[]).push("more");
      return true;
    },
    errorMessage: "no",
  });
  expect((await engine.fire("Stop", {})).runs[0]?.ended.by).toBe("threw");
  expect(conversation).toEqual([{ text: "hello" }]);
  expect(Object.isFrozen(conversation[0])).toBe(false);
});

test("a function hook sees the conversation; false makes the agent continue with errorMessage", async () => {
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

test("a hook that its event does not take is refused at registration", async () => {
  const { engine } = await openIn({});
  const hook: Hook = { type: "function", function: () => false, errorMessage: "no" };
  expect(() => engine.session("s-1").register("PreToolUse", undefined, hook)).toThrow("does not take function hooks");
});

test.each([
  ["an invalid expression", "(", "never runs"],
  ["an expression that could take too long", "(a+)+$", "refused"],
  ["a permission rule", "Bash(git *)", "permission rule"],
])("a matcher that is %s is refused at registration", async (_, matcher, words) => {
  const { engine } = await openIn({});
  const guard = () => ({ kind: "deny" as const, reason: "no" });
  const problem = expect.objectContaining({ code: "hook/invalid", message: expect.stringContaining(words) });
  expect(() => engine.on("PreToolUse", matcher, guard)).toThrow(problem);
  const hook: Hook = { type: "callback", callback: guard };
  expect(() => engine.session("s-1").register("PreToolUse", matcher, hook)).toThrow(problem);
});

test("an option of a registration that has no effect is a warning in the next outcome", async () => {
  const { engine } = await openIn({});
  engine.on("Stop", "Bash", () => undefined);
  expect((await engine.fire("Stop", {})).warnings).toContainEqual(expect.objectContaining({ code: "matcher-ignored" }));
});

test.each([
  ["bash", 'The matcher "bash" does not match "Bash": matchers are case-sensitive. Did you mean "Bash"?'],
  [
    "Read|edit",
    '"edit" in the matcher "Read|edit" does not match "Edit": matchers are case-sensitive. Did you mean "Edit"?',
  ],
  ["mcp__github", 'The matcher "mcp__github" never matches. Did you mean "mcp__github__.*"?'],
  ["mcp__github__", 'The matcher "mcp__github__" never matches. Did you mean "mcp__github__.*"?'],
  ["Bash Edit", 'The matcher "Bash Edit" never matches. Did you mean "Bash|Edit"?'],
  ["^bash$", 'The matcher "^bash$" matches no known name. Did you mean "Bash"?'],
  ["/Bash/", 'The matcher "/Bash/" matches no known name. Did you mean "Bash"?'],
])("a registration for %s is warned about in the next outcome: the name never comes", async (matcher, message) => {
  const { engine } = await openIn({});
  engine.on("PreToolUse", matcher, () => ({ kind: "deny", reason: "no" }));
  const found = (await engine.fire("PreToolUse", bash)).warnings.filter(({ code }) => code === "matcher-never");
  expect(found).toEqual([expect.objectContaining({ message })]);
  expect((await engine.fire("PreToolUse", bash)).warnings.map(({ code }) => code)).not.toContain("matcher-never");
});

test("a name that a host may send is not warned about: a new tool, an alias, a name next to its right spelling", async () => {
  const { engine } = await openIn({}, { toolAliases: { shell: "Bash" } });
  for (const matcher of [
    "TimeTravel",
    "shell",
    "Bash|bash",
    "Task",
    ".*ash",
    "^(?!Bash$)",
    "mcp__x__(read|write)",
    "^shell$",
  ]) {
    engine.on("PreToolUse", matcher, () => undefined);
  }
  expect((await engine.fire("PreToolUse", bash)).warnings.map(({ code }) => code)).not.toContain("matcher-never");
});

test.each([undefined, /Bash/, ["Bash"]])("a matcher that is not a string is refused by name: %s", async (matcher) => {
  const { engine } = await openIn({});
  const wrong = engine.on as (...given: unknown[]) => unknown;
  expect(() => wrong("PreToolUse", matcher, () => undefined)).toThrow(
    "The matcher of PreToolUse must be a string, not",
  );
});

test("the end of a turn needs neither background tasks nor scheduled prompts", async () => {
  const { engine } = await openIn({});
  const payload = { session_id: "s", transcript_path: "", last_assistant_message: "Done." };
  expect((await engine.fire("Stop", payload)).warnings).toEqual([]);
});

test("a reason names rules of the option `settings` as such", async () => {
  const { engine } = await openIn({}, { settings: [{ permissions: { deny: ["Bash"] } }] });
  engine.on("PreToolUse", () => ({ kind: "allow" }));
  expect((await engine.fire("PreToolUse", bash)).reason).toBe("Bash denies it (option `settings`)");
});

test("a missing handler is refused at registration", async () => {
  const { engine } = await openIn({});
  const wrong = engine.on as (...given: unknown[]) => unknown;
  for (const given of [["Stop", "x"], ["Stop"], ["Stop", "x", null]]) {
    expect(() => wrong(...given)).toThrow(
      expect.objectContaining({ code: "hook/invalid", message: expect.stringContaining("must be a function") }),
    );
  }
});

test.each([
  [{ kind: "block", reason: "r" }, "deny", "r"],
  [{ kind: "Deny", reason: "r" }, "deny", "r"],
  [{ kind: "ASK", reason: "r" }, "ask", "r"],
  [{ behavior: "deny", message: "r" }, "deny", "r"],
  [{ decision: "deny", reason: "r" }, "deny", "r"],
  [{ kind: "deny", reason: 5 }, "deny", "Blocked by hook"],
  [{ verdict: "deny" }, "deny", "Blocked by hook"],
])("a handler that returns %j restricts, with a warning", async (answer, decision, reason) => {
  const { engine } = await openIn({});
  engine.on("PreToolUse", () => answer as never);
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome).toMatchObject({ decision, reason });
  expect(outcome.warnings.map(({ code }) => code)).toContainEqual(expect.stringMatching(/^output-(repaired|invalid)$/));
});

test.each([[{ kind: "alow" }], [{ kind: 5 }], [{ behavior: "allow" }], [{ kind: "allow", input: "ls" }]])(
  "a handler that returns %j has failed, with a warning",
  async (answer) => {
    const { engine } = await openIn({});
    engine.on("PreToolUse", () => answer as never);
    const { runs, decision, warnings } = await engine.fire("PreToolUse", bash);
    expect(decision).toBe("none");
    expect(runs[0]?.answer?.failure).toContain("cannot be used");
    expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(["output-invalid", "hook-failed"]));
  },
);

test("a misspelled field of an answer is a warning that names the right one", async () => {
  const { engine } = await openIn({});
  const specific = { hookEventName: "PreToolUse", permissionDecison: "deny" };
  engine.on("PreToolUse", () => ({ hookSpecificOutput: specific }) as never);
  engine.on("PreToolUse", () => ({ sytemMessage: "x", reason: "r" }) as never);
  const { warnings } = await engine.fire("PreToolUse", bash);
  expect(warnings.map(({ message }) => message).join()).toMatch(/"permissionDecision"[\s\S]*"systemMessage"/);
});

test("the same function registered twice runs twice", async () => {
  const { engine } = await openIn({});
  let calls = 0;
  const counts: CallbackHandler = () => {
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

test("a callback that never answers times out, and its signal is aborted", async () => {
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

test("with callbacks alone the outcome is what the full path gives", async () => {
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

test("a closed engine refuses every call", async () => {
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

test("an answer that cannot be written as JSON is a failure of its hook, or a denial that can be read", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const throwing = {
    get kind() {
      throw new Error("no kind");
    },
  };
  const faulty: unknown[] = [
    { kind: 1n },
    { kind: circle },
    { decision: 1n },
    throwing,
    { kind: "allow", input: circle },
  ];
  for (const value of faulty) {
    const { engine } = await openIn({});
    engine.on("PreToolUse", () => value as undefined);
    const { decision, runs, warnings } = await engine.fire("PreToolUse", bash);
    expect([decision, runs[0]?.answer?.failure]).toEqual(["none", expect.stringContaining("returned")]);
    expect(warnings.map(({ code }) => code)).toContain("hook-failed");
  }
  const { engine } = await openIn({});
  engine.on("PreToolUse", () => ({ kind: "deny", reason: circle }) as unknown as undefined);
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
});

test("an allow next to an unknown decision is a failure of a callback with onFailure block", async () => {
  const { engine } = await openIn({});
  const answer = { decision: "nope", hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
  const hook: Hook = { type: "callback", callback: () => answer as never, onFailure: "block" };
  engine.session("s-1").register("PreToolUse", undefined, hook);
  expect(await engine.fire("PreToolUse", { ...bash, session_id: "s-1" })).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("unknown decision"),
  });
});

test("a conversation that throws or is not a list is a failure of the hook that needs it", async () => {
  const throws = () => {
    throw new Error("no database");
  };
  for (const conversation of [throws, () => 5 as never]) {
    const { engine } = await openIn(on("Stop", { type: "prompt", prompt: "Done?" }), {
      conversation,
      ports: { model: async () => ({ ok: true }) },
    });
    engine.stopHooks.add({ type: "function", function: () => true, errorMessage: "go on" });
    const { runs } = await engine.fire("Stop", { session_id: "s-1" });
    for (const { answer } of runs) expect(answer?.failure).toContain("the host's conversation");
    expect(runs).toHaveLength(2);
  }
});

test("a handler with onFailure block denies when it throws or times out, and one without does not", async () => {
  const { engine } = await openIn({});
  const failing: CallbackHandler[] = [
    () => {
      throw new Error("broken");
    },
    () => new Promise(() => undefined),
  ];
  for (const handler of failing) {
    const off = engine.on("PreToolUse", "Bash", handler, { timeout: 0.05 });
    expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
    off();
    const offGuard = engine.on("PreToolUse", "Bash", handler, { timeout: 0.05, onFailure: "block" });
    expect(await engine.fire("PreToolUse", bash)).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/\w/),
    });
    offGuard();
  }
});

const quiet = (): undefined => undefined;

test.each([
  [
    "a key that is misspelled",
    { type: "callback", callback: quiet, failclosed: true },
    "Bash",
    /"failclosed".*"failClosed"/,
  ],
  [
    "a policy that is misspelled",
    { type: "command", command: "exit 2", on_failure: "block" },
    "Bash",
    /"on_failure".*"onFailure"/,
  ],
  ["a list as matcher", { type: "callback", callback: quiet }, ["Bash"], /matcher .* must be a string/],
  ["an expression as matcher", { type: "callback", callback: quiet }, /Bash/, /matcher .* must be a string/],
])("a hook of a session with %s is refused", async (_what, hook, matcher, message) => {
  const { engine } = await openIn({});
  const register = () => engine.session("s").register("PreToolUse", matcher as never, hook as never);
  expect(register).toThrow(expect.objectContaining({ code: "hook/invalid", message: expect.stringMatching(message) }));
});

const registered = [
  { type: "callback", callback: quiet },
  { type: "function", function: () => true, errorMessage: "not yet" },
  { type: "command", command: "exit 2" },
];

test.each([
  [{ onFailure: "Block" }, 'onFailure must be "continue" or "block", not "Block"'],
  [{ onFailure: true }, "onFailure must be a string, not true"],
  [{ failClosed: "true" }, 'failClosed must be true or false, not "true"'],
  [{ timeout: 0 }, "timeout must be above 0, not 0"],
  [{ timeout: Number.NaN }, "timeout must be above 0, not NaN"],
  [{ timeout: Number.POSITIVE_INFINITY }, "timeout must be finite, not Infinity"],
  [{ if: 5 }, "if must be a string, not 5"],
  [{ once: "yes" }, 'once must be true or false, not "yes"'],
])("a hook of a session with %o is refused, whatever its type", async (wrong, message) => {
  const { engine } = await openIn({});
  const refused = expect.objectContaining({
    code: "hook/invalid",
    message: `A hook of Stop cannot be used: ${message}.`,
  });
  for (const hook of registered) {
    const given = { ...hook, ...wrong } as never;
    expect(() => engine.session("s").register("Stop", undefined, given)).toThrow(refused);
    expect(() => engine.stopHooks.add(given)).toThrow(refused);
  }
});

test("a hook of a session may be an instance of a class; what it inherits is checked too", async () => {
  class Guard {
    readonly type = "callback";
    callback() {
      return { kind: "deny", reason: "from the class" } as const;
    }
    get onFailure() {
      return "block" as const;
    }
  }
  class Misspelled extends Guard {
    override get onFailure() {
      return "Block" as never;
    }
  }
  const { engine } = await openIn({});
  const session = engine.session("s");
  session.register("PreToolUse", "Bash", new Guard());
  expect((await engine.fire("PreToolUse", { ...bash, session_id: "s" })).reason).toBe("from the class");
  expect(() => session.register("PreToolUse", "Bash", new Misspelled())).toThrow('not "Block"');
});

test("a list of events is refused", async () => {
  const { engine } = await openIn({});
  const refused = expect.objectContaining({
    code: "event/unknown",
    message: '["PreToolUse"] is not an event. Did you mean "PreToolUse"?',
  });
  expect(() => engine.on(["PreToolUse"] as never, () => undefined)).toThrow(refused);
});
