import { describe, expect, test } from "vitest";
import { printed, runOf } from "../../fixtures/answers.ts";
import { readAnswer } from "./read-answer.ts";

const deny = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
};
const allow = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
const preTool = runOf("PreToolUse");

function verdictOf(ran: ReturnType<typeof printed>, on = preTool) {
  return readAnswer(ran, on).answer.verdict;
}

function codes(ran: ReturnType<typeof printed>, on = preTool) {
  return readAnswer(ran, on).warnings.map(({ code }) => code);
}

describe("exit codes and objects", () => {
  test("a valid object counts on every exit code", () => {
    for (const exit of [0, 1, 3, 127]) expect(verdictOf(printed(exit, deny))).toEqual({ kind: "deny", reason: "no" });
  });

  test("exit 2 blocks with stderr as its reason, never stdout", () => {
    expect(verdictOf(printed(2, "on stdout", "on stderr\n"))).toEqual({ kind: "deny", reason: "on stderr" });
    expect(verdictOf(printed(2, "on stdout"))).toEqual({ kind: "deny", reason: "No stderr output" });
  });

  test("exit 2 blocks next to an allow and next to invalid JSON", () => {
    expect(verdictOf(printed(2, allow, "no"))).toEqual({ kind: "deny", reason: "no" });
    expect(verdictOf(printed(2, "{ broken", "no"))).toEqual({ kind: "deny", reason: "no" });
  });

  test("next to exit 2 the object's own reason is preferred to stderr", () => {
    expect(verdictOf(printed(2, { decision: "block", reason: "mine" }, "theirs"))).toEqual({
      kind: "deny",
      reason: "mine",
    });
  });

  test("where exit 2 is not a decision, its text is shown to the user", () => {
    const { answer, warnings } = readAnswer(printed(2, "", "careful"), runOf("PermissionRequest"));
    expect(answer.verdict.kind).toBe("none");
    expect(warnings.map(({ code }) => code)).toEqual(["exit-2-ignored"]);
  });

  test("another exit without an object is a failure that quotes stderr", () => {
    expect(readAnswer(printed(1, "text", "boom"), preTool).answer.failure).toBe("exited with code 1: boom");
  });
});

describe("death by a signal", () => {
  test("a deny that a killed hook had printed counts, an allow does not", () => {
    expect(verdictOf(printed(null, deny))).toEqual({ kind: "deny", reason: "no" });
    expect(readAnswer(printed(null, allow), preTool).answer).toEqual({
      verdict: { kind: "none" },
      failure: "killed by SIGSEGV",
    });
  });
});

describe("broken output", () => {
  const broken: [string, unknown][] = [
    ["other fields of a wrong type", { ...deny, systemMessage: 7 }],
    ["no event name", { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } }],
    ["another event's name", { hookSpecificOutput: { ...deny.hookSpecificOutput, hookEventName: "PostToolUse" } }],
    ["permissionDecision at the top", { permissionDecision: "deny", reason: "no" }],
    ["decision deny", { decision: "deny", reason: "no" }],
    ["text before", `checking…\n${JSON.stringify(deny)}`],
    ["text behind", `${JSON.stringify(deny)}\ndone`],
    ["a string that holds it", JSON.stringify(JSON.stringify(deny))],
    ["an allow in front of it", `${JSON.stringify(allow)}\n${JSON.stringify(deny)}`],
  ];
  test.each(broken)("a deny counts with %s", (_, stdout) => {
    expect(verdictOf(printed(0, stdout))).toEqual({ kind: "deny", reason: "no" });
    expect(codes(printed(0, stdout))).toContain("output-repaired");
  });

  test.each(broken)("an allow does not count with %s", (_, stdout) => {
    const text = (typeof stdout === "string" ? stdout : JSON.stringify(stdout)).replaceAll("deny", "allow");
    expect(verdictOf(printed(0, text))).toEqual({ kind: "none" });
  });

  test("a deny after other output on the same line counts, an allow does not", () => {
    const onSameLine = (answer: object) => printed(0, `junk${JSON.stringify(answer)}\n`);
    expect(verdictOf(onSameLine(deny))).toEqual({ kind: "deny", reason: "no" });
    expect(codes(onSameLine(deny))).toEqual(["output-repaired"]);
    expect(verdictOf(onSameLine(allow))).toEqual({ kind: "none" });
    expect(codes(onSameLine(allow))).toEqual([]);
  });

  test("an object that fails validation is a failure that names the field", () => {
    const { answer, warnings } = readAnswer(printed(0, { continue: "no" }), preTool);
    expect(answer.failure).toBe('printed an object that cannot be used: continue must be true or false, not "no"');
    expect(warnings.map(({ code }) => code)).toEqual(["output-invalid"]);
  });

  test("an object that fails validation is not passed to the model", () => {
    expect(readAnswer(printed(0, { systemMessage: 1 }), runOf("UserPromptSubmit")).answer.context).toBeUndefined();
  });

  test("a flood of open braces is read in bounded time", () => {
    expect(verdictOf(printed(0, "{\n".repeat(200_000)))).toEqual({ kind: "none" });
  });
});

describe("plain text (events.md)", () => {
  test("plain text is context, a message, instructions or a path, by the row of the event", () => {
    expect(readAnswer(printed(0, " hi \n"), runOf("UserPromptSubmit")).answer.context).toEqual(["hi"]);
    expect(readAnswer(printed(0, "hi"), runOf("PostCompact")).answer.messages).toEqual(["hi"]);
    expect(readAnswer(printed(0, "hi"), runOf("PreCompact")).answer.output).toEqual({ customInstructions: "hi" });
    expect(readAnswer(printed(0, "log\n/tmp/x\n\n"), runOf("WorktreeCreate")).answer.output).toEqual({
      worktreePath: "/tmp/x",
    });
    expect(readAnswer(printed(0, "hi"), preTool).answer).toEqual({ verdict: { kind: "none" } });
  });

  test("arrays and strings are plain text", () => {
    expect(readAnswer(printed(0, "[1]"), runOf("SessionStart")).answer.context).toEqual(["[1]"]);
  });
});

describe("decision words", () => {
  test("approve allows where the row allows, and decides nothing elsewhere", () => {
    expect(verdictOf(printed(0, { decision: "approve" }))).toEqual({ kind: "allow" });
    expect(verdictOf(printed(0, { decision: "approve" }), runOf("Stop"))).toEqual({ kind: "none" });
  });

  test("a top-level allow and an unknown word decide nothing, with a warning", () => {
    for (const decision of ["allow", "perhaps"]) {
      expect(verdictOf(printed(0, { decision }))).toEqual({ kind: "none" });
      expect(codes(printed(0, { decision }))).toEqual(["unknown-decision"]);
    }
  });

  test("ask becomes deny where an event blocks but cannot ask", () => {
    const ask = {
      hookSpecificOutput: {
        hookEventName: "UserPromptSubmit",
        permissionDecision: "ask",
        permissionDecisionReason: "hm",
      },
    };
    expect(verdictOf(printed(0, ask), runOf("UserPromptSubmit"))).toEqual({ kind: "deny", reason: "hm" });
  });

  test("a block without a reason gets a default one", () => {
    expect(verdictOf(printed(0, { decision: "block" }))).toEqual({
      kind: "deny",
      reason: "Blocked by hook",
    });
  });

  test("block on an event that cannot be blocked is dropped with a warning", () => {
    expect(verdictOf(printed(0, { decision: "block", reason: "x" }), runOf("SessionStart"))).toEqual({
      kind: "none",
    });
    expect(codes(printed(0, { decision: "block", reason: "x" }), runOf("SessionStart"))).toEqual(["unknown-decision"]);
  });
});

test("defer drops the rewrite and the context next to it", () => {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: "defer",
    updatedInput: { command: "x" },
    additionalContext: "c",
  };
  const { answer } = readAnswer(printed(0, { hookSpecificOutput }), preTool);
  expect(answer).toEqual({ verdict: { kind: "defer" }, output: {} });
});

test("a PermissionRequest answer carries rewritten input and checked updates", () => {
  const good = {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "ls" }],
    behavior: "allow",
    destination: "session",
  };
  const bad = { type: "setMode", mode: "bypassPermissions", destination: "session" };
  const decision = { behavior: "allow", updatedInput: { command: "ls -l" }, updatedPermissions: [good, bad] };
  const output = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
  const { answer, warnings } = readAnswer(printed(0, output), runOf("PermissionRequest"));
  expect(answer).toEqual({
    verdict: { kind: "allow" },
    input: { command: "ls -l" },
    output: { permission: { behavior: "allow", updatedPermissions: [good] } },
  });
  expect(warnings.map(({ code }) => code)).toEqual(["permission-update-invalid"]);
});

test("a project's hook may not write the user's settings", () => {
  const update = { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow", destination: "userSettings" };
  const output = {
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow", updatedPermissions: [update] },
    },
  };
  expect(readAnswer(printed(0, output), runOf("PermissionRequest", { kind: "project" })).answer.output).toEqual({
    permission: { behavior: "allow" },
  });
});

describe("a judgment", () => {
  const notOk = (continueOnBlock = false) =>
    ({
      ended: { by: "answered" },
      output: { kind: "judged", ok: false, reason: "no", continueOnBlock },
      stdout: "",
      stderr: "",
      warnings: [],
    }) as const;
  test("a judgement denies as exit 2 would, stops PostToolUse, and is ignored on PermissionRequest", () => {
    expect(readAnswer(notOk(), preTool).answer).toEqual({ verdict: { kind: "deny", reason: "no" } });
    expect(readAnswer(notOk(), runOf("PostToolUse")).answer).toEqual({
      verdict: { kind: "none" },
      stop: { reason: "no" },
    });
    expect(readAnswer(notOk(true), runOf("PostToolUse")).answer).toEqual({ verdict: { kind: "deny", reason: "no" } });
    expect(readAnswer(notOk(), runOf("PermissionRequest")).answer).toEqual({ verdict: { kind: "none" } });
  });

  test('"impossible" lets the agent stop and shows the user a message', () => {
    const output = { kind: "judged", ok: false, reason: "cannot", impossible: true, continueOnBlock: false } as const;
    expect(readAnswer({ ...notOk(), output }, runOf("Stop")).answer).toEqual({
      verdict: { kind: "none" },
      messages: ["cannot"],
    });
  });
});

test("an http error keeps a denial of its body and nothing else", () => {
  const body = (ok: boolean, stdout: string) =>
    ({
      ended: { by: "http", status: 500 },
      output: { kind: "body", ok, whole: true },
      stdout,
      stderr: "",
      failure: "HTTP 500",
      warnings: [],
    }) as const;
  expect(readAnswer(body(false, JSON.stringify(deny)), preTool).answer).toEqual({
    verdict: { kind: "deny", reason: "no" },
    failure: "HTTP 500",
  });
  expect(readAnswer(body(false, JSON.stringify(allow)), preTool).answer).toEqual({
    verdict: { kind: "none" },
    failure: "HTTP 500",
  });
});

describe("texts that people read", () => {
  test("a reason and a warning hold nothing a terminal would act on", () => {
    const red = "\u001b[31mno\u001b[0m";
    expect(verdictOf(printed(2, "", red))).toEqual({ kind: "deny", reason: "no" });
    const [ignored] = readAnswer(printed(2, "", red), runOf("PermissionRequest")).warnings;
    expect(ignored?.message).toBe("PermissionRequest does not read exit 2 as a decision: no");
  });
});

test("asking is a denial only where the event can block", () => {
  const ask = (hookEventName: string) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "ask", permissionDecisionReason: "sure?" },
  });
  expect(verdictOf(printed(0, ask("UserPromptSubmit")), runOf("UserPromptSubmit")).kind).toBe("deny");
  expect(verdictOf(printed(0, ask("PostToolUse")), runOf("PostToolUse")).kind).toBe("none");
});

describe("a prompt hook that says no before a tool", () => {
  const no = (continueOnBlock: boolean) => ({
    ended: { by: "answered" } as const,
    output: { kind: "judged", ok: false, reason: "no network", continueOnBlock } as const,
    stdout: "",
    stderr: "",
    warnings: [],
  });

  test('a "no" denies and stops the turn', () => {
    expect(readAnswer(no(false), runOf("PreToolUse", { type: "prompt" })).answer).toEqual({
      verdict: { kind: "deny", reason: "no network" },
      stop: { reason: "no network" },
    });
  });

  test('a "no" only denies with continueOnBlock, and so does that of an agent hook', () => {
    const denied = { verdict: { kind: "deny", reason: "no network" } };
    expect(readAnswer(no(true), runOf("PreToolUse", { type: "prompt" })).answer).toEqual(denied);
    expect(readAnswer(no(false), runOf("PreToolUse", { type: "agent" })).answer).toEqual(denied);
  });
});

describe('onFailure "block"', () => {
  const strict = runOf("PreToolUse", { onFailure: "block" });

  test("any exit other than 0 and 2 is a failure, whatever stdout holds", () => {
    for (const exit of [1, 3, 127, 255]) {
      for (const stdout of [allow, {}, "text", ""]) {
        const { failure, verdict, input } = readAnswer(printed(exit, stdout), strict).answer;
        expect([failure, verdict, input]).toEqual([`exited with code ${exit}`, { kind: "none" }, undefined]);
      }
    }
  });

  test("a readable deny or ask counts with its own reason and is not a failure", () => {
    for (const word of ["deny", "ask"]) {
      const output = JSON.parse(JSON.stringify(deny).replace('"deny"', `"${word}"`));
      const { failure, verdict } = readAnswer(printed(1, output), strict).answer;
      expect([failure, verdict]).toEqual([undefined, { kind: word, reason: "no" }]);
    }
  });

  test("an unknown decision word is a failure, also next to an allow", () => {
    for (const object of [{ decision: "transform" }, { decision: "transform", ...allow }]) {
      const { failure, verdict } = readAnswer(printed(0, object), strict).answer;
      expect([failure, verdict.kind]).toEqual(['printed an unknown decision "transform"', "none"]);
    }
  });

  test("changes nothing on an event that does not honor it", () => {
    const open = runOf("Stop", { onFailure: "block" });
    expect(readAnswer(printed(1, { systemMessage: "m" }), open).answer.failure).toBeUndefined();
  });
});

test("a denial of a permission request counts in any letter case", () => {
  const decision = { behavior: "DENY", message: "no" };
  const { answer, warnings } = readAnswer(
    printed(0, { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }),
    runOf("PermissionRequest"),
  );
  expect(answer.verdict).toEqual({ kind: "deny", reason: "no" });
  expect(warnings.map(({ code }) => code)).toEqual(["output-repaired"]);
});

test.each([
  ["PermissionRequest", { behavior: "deny", message: "no" }],
  [
    "PermissionRequest",
    { hookSpecificOutput: { hookEventName: "PermissionRequest", behavior: "deny", message: "no" } },
  ],
  ["PreToolUse", { hookSpecificOutput: { hookEventName: "PreToolUse", permission_decision: "deny" }, reason: "no" }],
  ["PreToolUse", { hook_specific_output: { permissionDecision: "deny", permissionDecisionReason: "no" } }],
  ["PreToolUse", { Decision: "block", reason: "no" }],
  ["PreToolUse", { kind: "deny", reason: "no" }],
  ["Elicitation", { action: "decline", reason: "no" }],
  ["Elicitation", { hookSpecificOutput: { hookEventName: "Elicitation", action: "DECLINE" }, reason: "no" }],
] as const)("a denial on %s under a misspelled name or one level off counts: %j", (event, output) => {
  expect(verdictOf(printed(0, output), runOf(event))).toEqual({ kind: "deny", reason: "no" });
  expect(codes(printed(0, output), runOf(event))).toContain("output-repaired");
});

test("an answer at the top of the object, or under a misspelled name, is reported", () => {
  expect(readAnswer(printed(0, { updatedInput: { command: "ls" } }), preTool).warnings).toMatchObject([
    { code: "output-ignored", message: expect.stringContaining("It counts in hookSpecificOutput only.") },
  ]);
  const typo = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInptu: { command: "ls" } } };
  expect(readAnswer(printed(0, typo), preTool).warnings).toMatchObject([
    { code: "output-invalid", message: expect.stringContaining('Did you mean "updatedInput"?') },
  ]);
  expect(readAnswer(printed(0, { retry: true, moon: "full" }), preTool).warnings).toEqual([]);
});

test("data of other kinds is not a denial", () => {
  for (const output of [{ kind: "block" }, { action: "decline" }, { action: "deny" }, { type: "deny" }]) {
    expect(verdictOf(printed(0, output))).toEqual({ kind: "none" });
  }
});

test("the warning about an unknown decision names the words that are known there", () => {
  const { warnings } = readAnswer(printed(0, { decision: "allow" }), preTool);
  expect(warnings[0]?.message).toBe(
    'PreToolUse does not know decision: "allow"; it knows "approve" and "block" there. Other decisions go into permissionDecision.',
  );
});

test("a rewrite next to the same hook's defer is dropped with a warning", () => {
  const output = { hookEventName: "PreToolUse", permissionDecision: "defer", updatedInput: { command: "ls" } };
  const { answer, warnings } = readAnswer(printed(0, { hookSpecificOutput: output }), preTool);
  expect([answer.verdict.kind, answer.input]).toEqual(["defer", undefined]);
  expect(warnings.map(({ code }) => code)).toEqual(["rewrite-ignored"]);
});

test("a field that a callback leaves undefined is not an exact answer: an allow fails, a denial counts", () => {
  const read = (specific: object) =>
    readAnswer(
      {
        ended: { by: "answered" },
        output: { kind: "returned", value: { hookSpecificOutput: { hookEventName: "PreToolUse", ...specific } } },
        stdout: "",
        stderr: "",
        warnings: [],
      },
      runOf("PreToolUse"),
    ).answer;
  expect(read({ permissionDecision: "allow", updatedInput: undefined })).toEqual({
    verdict: { kind: "none" },
    failure: "returned an object that cannot be used: hookSpecificOutput.updatedInput must not be undefined",
  });
  const denied = read({ permissionDecision: "deny", permissionDecisionReason: undefined });
  expect(denied.verdict).toEqual({ kind: "deny", reason: "Blocked by hook" });
});

test("an answer of a wrong shape is described by its field", () => {
  const failure = (specific: object) =>
    readAnswer(
      printed(0, { hookSpecificOutput: { hookEventName: "SessionStart", ...specific } }),
      runOf("SessionStart"),
    ).answer.failure?.replace("printed an object that cannot be used: hookSpecificOutput.", "");
  expect(failure({ watchPaths: ["/a", 5] })).toBe("watchPaths.1 must be a string, not 5");
  expect(failure({ decision: { behavior: "allow", message: 5 } })).toBe("decision.message must be a string, not 5");
  expect(failure({ action: "agree" })).toBe('action must be "accept" or "decline" or "cancel", not "agree"');
});
