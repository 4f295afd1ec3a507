import { expect, test } from "vitest";
import * as sdk from "../index.ts";
import { createApp } from "../index.ts";
import { testClient } from "../testing/index.ts";

const bash = { command: "ls", description: "list" };

test("every answer is a frozen value", () => {
  const all = [
    ...[sdk.allow("r"), sdk.ask("r"), sdk.deny("r"), sdk.defer(), sdk.block("r"), sdk.halt("r"), sdk.context("r")],
    ...[sdk.updateInput({}), sdk.patchInput({}), sdk.updateOutput({}), sdk.mapOutput((text) => text), sdk.retry()],
    ...[sdk.approvePermission(), sdk.denyPermission("r"), sdk.systemMessage("r"), sdk.sessionTitle("r"), sdk.raw({})],
    ...[sdk.watchPaths("a"), sdk.initialUserMessage("r"), sdk.display("r"), sdk.elicit("accept"), sdk.worktree("/w")],
  ];
  expect(all.filter((one) => !Object.isFrozen(one))).toEqual([]);
  expect(new Set(all.map(({ kind }) => kind)).size).toBe(22);
});

test("a decision without words does not compile", () => {
  // @ts-expect-error
  sdk.allow();
  // @ts-expect-error
  sdk.ask();
  // @ts-expect-error
  sdk.deny();
  // @ts-expect-error
  sdk.block();
  // @ts-expect-error
  sdk.halt();
  // @ts-expect-error
  sdk.denyPermission();
  expect(sdk.defer()).toEqual({ kind: "defer" });
});

test("updateInput replaces the input, patchInput lays a part over it, and neither allows anything", async () => {
  const wireOf = async (answer: sdk.AnswerOf<"updateInput" | "patchInput">) => {
    const { wire } = await testClient(createApp().preTool("Bash", () => answer)).preTool("Bash", bash);
    return wire?.["hookSpecificOutput"];
  };
  const hookEventName = "PreToolUse";
  expect(await wireOf(sdk.updateInput({ command: "pwd" }))).toEqual({
    hookEventName,
    updatedInput: { command: "pwd" },
  });
  expect(await wireOf(sdk.patchInput({ command: "pwd" }))).toEqual({
    hookEventName,
    updatedInput: { command: "pwd", description: "list" },
  });
});

test("halt ends the turn, denies a tool call too, and is dropped with a warning where it has no effect", async () => {
  const app = createApp()
    .preTool(() => sdk.halt("enough"))
    .onStop(() => sdk.halt("enough"))
    .onSessionStart((() => sdk.halt("enough")) as never);
  const end = { continue: false, stopReason: "enough" };
  expect((await testClient(app).preTool("Bash", bash)).wire).toEqual({
    ...end,
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "enough",
    },
  });
  expect((await testClient(app).stop()).wire).toEqual(end);
  const { stdout, warnings } = await testClient(app).sessionStart();
  expect([stdout, warnings.map(({ code }) => code)]).toEqual(["", ["illegal-answer"]]);
});

test("no opinion is silence; what a form of text cannot carry goes to stderr; a refusal by status has no stdout", async () => {
  const app = createApp()
    .onPreCompact("auto", () => [sdk.context("text"), sdk.systemMessage("aside")])
    .onPreCompact("manual", () => [sdk.context("text"), sdk.systemMessage("aside"), sdk.block("no")])
    .preTool("Bash", () => sdk.deny("no"))
    .onStop(() => undefined);
  const client = testClient(app);
  const spoken = async (result: Promise<{ stdout: string; stderr: string; exitCode: number }>) => {
    const { stdout, stderr, exitCode } = await result;
    return { stdout, stderr, exitCode };
  };
  expect(await spoken(client.stop())).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  expect(await spoken(client.preCompact({ trigger: "auto" }))).toEqual({
    stdout: "text\n",
    stderr: "aside\n",
    exitCode: 0,
  });
  expect(await spoken(client.preCompact({ trigger: "manual" }))).toEqual({
    stdout: "",
    stderr: "no\ntext\naside\n",
    exitCode: 2,
  });
  expect(await spoken(client.preTool("Bash", bash))).toMatchObject({ stderr: "", exitCode: 0 });
});

test("a denial counts although its options are null", () => {
  expect(sdk.block("no", null as never)).toEqual({ kind: "block", reason: "no" });
  expect(sdk.denyPermission("no", null as never)).toEqual({ kind: "denyPermission", reason: "no" });
});
