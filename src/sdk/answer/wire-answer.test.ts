import { expect, test } from "vitest";
import { outputSchema } from "../../../scripts/schema/index.ts";
import { catalog, type EventRow, eventNames, eventOutputFields } from "../../protocol/internal.ts";
import {
  type Answer,
  allow,
  approvePermission,
  ask,
  block,
  context,
  createApp,
  defer,
  deny,
  denyPermission,
  display,
  elicit,
  halt,
  initialUserMessage,
  mapOutput,
  patchInput,
  raw,
  retry,
  sessionTitle,
  systemMessage,
  updateInput,
  updateOutput,
  watchPaths,
  worktree,
} from "../index.ts";
import { testClient } from "../testing/index.ts";

const every: readonly Answer[] = [
  allow("fine"),
  ask("sure?"),
  deny("no"),
  defer("later"),
  block("stop here"),
  halt("enough"),
  context("know this"),
  systemMessage("hello"),
  updateInput({ command: "ls" }),
  patchInput({ command: "ls" }),
  updateOutput({ stdout: "x", stderr: "", interrupted: false, isImage: false, noOutputExpected: false }),
  mapOutput((text) => text.toUpperCase()),
  approvePermission(),
  denyPermission("no", { interrupt: true }),
  retry(),
  sessionTitle("title"),
  watchPaths("/a"),
  initialUserMessage("begin"),
  display("shown"),
  elicit("accept", { name: "Ada" }),
  worktree("/wt"),
  raw({ terminalSequence: "\u0007" }),
  raw({ hookSpecificOutput: { hookEventName: "Foreign" }, suppressOutput: true }),
  block("hidden", { hidePrompt: true }),
];

test("every answer on every event is spelled as the event allows", async () => {
  const wrong: string[] = [];
  for (const name of eventNames) {
    const row: EventRow = catalog[name];
    for (const answer of every) {
      const app = createApp().on(name as string, () => answer as never);
      const { wire, stdout, exitCode, warnings, stderr } = await testClient(app).send(name);
      const place = `${name} ${answer.kind}`;
      const specific = wire?.["hookSpecificOutput"] as Record<string, unknown> | undefined;
      if (specific && specific["hookEventName"] !== name) wrong.push(`${place}: foreign event name`);
      if (specific && row.answers.length === 0) wrong.push(`${place}: the event has no answers of its own`);
      if (wire && !outputSchema(name).safeParse(wire).success) wrong.push(`${place}: not what its schema says`);
      for (const key of Object.keys(specific ?? {})) {
        if (key === "hookEventName" || key === "permissionDecisionReason") continue;
        if (!(key in eventOutputFields) || !row.answers.includes(key as never)) wrong.push(`${place}: ${key}`);
      }
      if (wire && "reason" in wire && wire["decision"] !== "block") wrong.push(`${place}: reason without decision`);
      if (wire?.["decision"] === "block" && !row.blockWord) wrong.push(`${place}: the event knows no block`);
      if (exitCode !== 0 && stdout !== "") wrong.push(`${place}: exit ${exitCode} with stdout`);
      if (stdout === "" && stderr === "" && warnings.length === 0) wrong.push(`${place}: silence`);
    }
  }
  expect(wrong).toEqual([]);
});

test("a refusal in the wrong word still refuses, on every event that can refuse", async () => {
  for (const name of eventNames.filter((one) => (catalog[one] as EventRow).decisions.includes("deny"))) {
    for (const answer of [deny("no"), block("no"), denyPermission("no")]) {
      const result = await testClient(createApp().on(name as string, () => answer as never)).send(name);
      expect({ name, decision: result.decision, warnings: result.warnings }).toEqual({
        name,
        decision: "deny",
        warnings: [],
      });
    }
  }
});

test("any other answer that is illegal is dropped, and the warning names handler and event", async () => {
  const app = createApp().onStop({ name: "titles" }, () => [context("kept"), sessionTitle("t") as never]);
  const { warnings, wire } = await testClient(app).stop();
  expect(wire).toEqual({ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "kept" } });
  expect(warnings).toMatchObject([
    { code: "illegal-answer", handler: "titles", message: expect.stringMatching(/^titles: sessionTitle .* on Stop /) },
  ]);
});

test("answers given together become one output in the form of their event", async () => {
  const say = async (answer: unknown, event: (typeof eventNames)[number] = "PreToolUse") => {
    const { wire, stdout, stderr, exitCode } = await testClient(
      createApp().on(event as string, () => answer as never),
    ).send(event);
    return wire ?? { stdout, stderr, exitCode };
  };
  const pre = (fields: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
  expect(await say(deny("no"))).toEqual(pre({ permissionDecision: "deny", permissionDecisionReason: "no" }));
  expect(await say([ask("sure?"), updateInput({ command: "ls" })])).toEqual(
    pre({ permissionDecision: "ask", permissionDecisionReason: "sure?", updatedInput: { command: "ls" } }),
  );
  expect(await say([deny("no"), context("why"), updateInput({ command: "ls" })])).toEqual(
    pre({ permissionDecision: "deny", permissionDecisionReason: "no", additionalContext: "why" }),
  );
  expect(await say(halt("enough"))).toEqual({
    continue: false,
    stopReason: "enough",
    ...pre({ permissionDecision: "deny", permissionDecisionReason: "enough" }),
  });
  expect(await say(block("fix it"), "Stop")).toEqual({ decision: "block", reason: "fix it" });
  expect(await say(block("no", { hidePrompt: true }), "UserPromptSubmit")).toEqual({
    decision: "block",
    reason: "no",
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
  });
  expect(await say(denyPermission("no", { interrupt: true }), "PermissionRequest")).toEqual({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "no", interrupt: true },
    },
  });
  expect(await say(block("not now"), "TaskCreated")).toEqual({ stdout: "", stderr: "not now\n", exitCode: 2 });
  expect(await say([block("not now"), systemMessage("hm")], "PreCompact")).toEqual({
    stdout: "",
    stderr: "not now\nhm\n",
    exitCode: 2,
  });
  expect(await say(context("keep the plan"), "PreCompact")).toEqual({
    stdout: "keep the plan\n",
    stderr: "",
    exitCode: 0,
  });
  expect(await say(worktree("/wt"), "WorktreeCreate")).toEqual({ stdout: "/wt\n", stderr: "", exitCode: 0 });
  expect(await say(block("no room"), "WorktreeCreate")).toEqual({ stdout: "", stderr: "no room\n", exitCode: 1 });
  expect(await say(block("no"), "Elicitation")).toEqual({
    hookSpecificOutput: { hookEventName: "Elicitation", action: "decline" },
  });
  expect(await say(undefined)).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

test("a refusal without a reason names its handler, an allow without one does not count, and a long text is a warning", async () => {
  const bare = (answer: (reason: string) => Answer, reason?: string) => answer(reason as string);
  const empty = [deny, ask, block, halt, denyPermission].flatMap((answer) => [bare(answer), bare(answer, " ")]);
  for (const answer of empty) {
    const named = createApp().preTool({ name: "guard" }, () => answer as never);
    const { decision, reason } = await testClient(named).preTool("Bash", { command: "ls" });
    expect([decision, reason]).toEqual([answer.kind === "ask" ? "ask" : "deny", "Refused by guard"]);
  }
  const old = createApp().preTool({ name: "old" }, () => bare(allow) as never);
  const passed = (await testClient(old).preTool("Bash", { command: "ls" })).expectNoOpinion();
  expect(passed.warnings.map(({ code }) => code)).toEqual(["allow-without-reason"]);
  const text = "x".repeat(10_001);
  const long = createApp().onPrompt(() => [context(text), systemMessage(text), context("x".repeat(10_000))]);
  const { wire, warnings } = await testClient(long).prompt("hi");
  expect(wire).toMatchObject({
    systemMessage: text,
    hookSpecificOutput: { additionalContext: `${text}\n\n${"x".repeat(10_000)}` },
  });
  expect(warnings.map(({ code }) => code)).toEqual(["long-text", "long-text"]);
});

test("a system message is not taken as a worktree path", async () => {
  const app = createApp().onWorktreeCreate(({ worktreeName }) => [
    systemMessage("looked"),
    raw({ suppressOutput: true }),
    ...(worktreeName === "mine" ? [worktree("/wt")] : []),
  ]);
  const said = async (name: string) => {
    const { wire, stdout, stderr, exitCode } = await testClient(app).worktreeCreate({ name });
    return { wire, stdout, stderr, exitCode };
  };
  const stderr = 'looked\n{"suppressOutput":true}\n';
  expect(await said("mine")).toEqual({ stdout: "/wt\n", stderr, exitCode: 0 });
  expect(await said("other")).toEqual({ stdout: "", stderr, exitCode: 0 });
});

test("raw fields pass, with the right event name and nothing where the event has no such object", async () => {
  const newer = createApp().postTool(() =>
    raw({ hookSpecificOutput: { hookEventName: "Stop", classifierContext: "c" } }),
  );
  expect((await testClient(newer).postTool("Bash", { command: "ls" }, {})).wire).toEqual({
    hookSpecificOutput: { classifierContext: "c", hookEventName: "PostToolUse" },
  });
  const none = createApp().onSessionEnd(() => raw({ hookSpecificOutput: { a: 1 }, suppressOutput: true }));
  expect((await testClient(none).sessionEnd()).wire).toEqual({ suppressOutput: true });
});

test("a raw reason without a decision becomes a system message", async () => {
  const said = async (fields: Record<string, unknown>, event = "PreToolUse") => {
    const app = createApp().on(event, () => raw(fields));
    const { wire, stderr } = await testClient(app).raw({ hook_event_name: event, tool_name: "Bash", tool_input: {} });
    return [wire, stderr];
  };
  expect(await said({ reason: "r", suppressOutput: true })).toEqual([{ suppressOutput: true }, '{"reason":"r"}\n']);
  expect(await said({ reason: "r" }, "SessionEnd")).toEqual([undefined, '{"reason":"r"}\n']);
  const alone = { hookSpecificOutput: { permissionDecisionReason: "r" } };
  expect(await said(alone)).toEqual([
    { hookSpecificOutput: { hookEventName: "PreToolUse" } },
    '{"permissionDecisionReason":"r"}\n',
  ]);
  for (const event of ["Stop", "BrandNew"]) {
    const fields = event === "BrandNew" ? { reason: "r" } : { decision: "block", reason: "r" };
    expect(await said(fields, event)).toEqual([fields, ""]);
  }
});

test("a refusal or question in raw fields counts before an allow of another handler, and is the answer in tests and log", async () => {
  const specific = (fields: object) => raw({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
  const said = async (answer: Answer) => {
    const app = createApp()
      .preTool(() => allow("fine"))
      .preTool(() => answer as never);
    const { decision, reason, wire } = await testClient(app).preTool("Bash", { command: "ls" });
    expect(wire).toMatchObject({
      hookSpecificOutput: { permissionDecision: decision, permissionDecisionReason: reason },
    });
    return [decision, reason];
  };
  expect(await said(specific({ permissionDecision: "deny", permissionDecisionReason: "no" }))).toEqual(["deny", "no"]);
  expect(await said(specific({ permissionDecision: "ask", permissionDecisionReason: "so?" }))).toEqual(["ask", "so?"]);
  expect(await said(raw({ decision: "block", reason: "no" }))).toEqual(["deny", "no"]);
  expect(await said(raw({ continue: false, stopReason: "end" }))).toEqual(["deny", "end"]);
  const stop = createApp().onStop(() => raw({ decision: "block", reason: "more" }));
  (await testClient(stop).stop()).expectBlocked("more");
  const behavior = { decision: { behavior: "deny", message: "no" } };
  const asked = createApp().onPermission(() => [approvePermission(), raw({ hookSpecificOutput: behavior })]);
  (await testClient(asked).permission("Bash", { command: "ls" })).expectDenied("no");
});

test("raw fields of two handlers are both sent", async () => {
  const app = createApp()
    .preTool(() => raw({ hookSpecificOutput: { newer: 1 } }))
    .preTool(() => raw({ hookSpecificOutput: { newest: 2 } }));
  expect((await testClient(app).preTool("Bash", { command: "ls" })).wire).toEqual({
    hookSpecificOutput: { hookEventName: "PreToolUse", newer: 1, newest: 2 },
  });
});

test("a refusal in raw fields counts in the wrong place and in the wrong word too", async () => {
  for (const fields of [
    { permissionDecision: "deny", permissionDecisionReason: "no" },
    { decision: "deny", reason: "no" },
  ]) {
    const app = createApp().preTool(() => raw(fields));
    (await testClient(app).preTool("Bash", { command: "ls" })).expectDenied("no");
  }
});

test("an approval with a name that it does not have is a failure, and approves nothing", async () => {
  for (const options of [{ updatedInput: { command: "ls" } }, { input: "ls" }, { rules: "Bash" }, "fine"]) {
    const app = createApp().onPermission({ onFailure: "block" }, () => approvePermission(options as never));
    const { wire, warnings } = await testClient(app).permission("Bash", { command: "rm -rf x" });
    expect(wire).toMatchObject({ hookSpecificOutput: { decision: { behavior: "deny" } } });
    expect(warnings).toMatchObject([{ code: "handler-failed" }]);
  }
});

test("a refusal counts next to a value that is not an answer, which is a warning", async () => {
  const app = createApp().preTool({ name: "guard" }, () => [false, deny("no")] as never);
  const { warnings } = (await testClient(app).preTool("Bash", { command: "ls" })).expectDenied("no");
  expect(warnings).toMatchObject([
    { code: "illegal-answer", message: expect.stringContaining("guard returned a boolean") },
  ]);
});

test("an input that holds a promise which was not awaited is a failure", async () => {
  const app = createApp().preTool({ onFailure: "block" }, () => patchInput({ command: Promise.resolve("ls") }));
  (await testClient(app).preTool("Bash", { command: "rm x" })).expectDenied("a promise that was not awaited");
});
