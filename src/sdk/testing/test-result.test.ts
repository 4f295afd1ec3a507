import { AssertionError } from "node:assert";
import { expect, test } from "vitest";
import { allow, ask, block, context, createApp, deny, halt, patchInput, systemMessage } from "../index.ts";
import { testClient } from "./index.ts";

const app = createApp()
  .preTool("Bash", { name: "guard" }, ({ input }) => {
    if (input.command === "rm") return [deny("no rm"), systemMessage("told")];
    if (input.command === "sudo") return ask("sure?");
    return input.command === "ls" ? [allow("harmless"), patchInput({ command: "ls -l" }), context("long form")] : null;
  })
  .onStop(({ stopHookActive }) => (stopHookActive ? halt("enough") : block("go on")));
const client = testClient(app);
const bash = (command: string) => client.preTool("Bash", { command });

test("a result has the fields of an outcome, the wire, the exit status and a trace", async () => {
  const { wire, trace, stdout, stderr, exitCode, ...result } = await bash("rm");
  expect(result).toMatchObject({
    event: "PreToolUse",
    decision: "deny",
    blocked: true,
    reason: "no rm",
    continue: true,
    additionalContext: [],
    systemMessages: ["told"],
    warnings: [],
  });
  expect([JSON.parse(stdout), stderr, exitCode]).toEqual([wire, "", 0]);
  expect(trace).toEqual([
    {
      name: "guard",
      outcome: "answered",
      ms: expect.any(Number),
      answers: ["deny", "systemMessage"],
      reason: "no rm",
    },
  ]);
});

test("expectations hold where they should, and chain", async () => {
  (await bash("rm")).expectDenied().expectDenied("rm").expectDenied(/^no/);
  (await bash("sudo")).expectAsked("sure");
  (await bash("ls")).expectAllowed("harmless").expectInput({ command: "ls -l" }).expectContext("long");
  (await bash("pwd")).expectNoOpinion();
  (await client.stop()).expectBlocked("go on");
  (await client.stop({ stop_hook_active: true })).expectHalted("enough");
});

test("one that does not hold throws an AssertionError that shows the trace", async () => {
  const [denied, silent] = [await bash("rm"), await bash("pwd")];
  for (const wrong of [
    () => denied.expectAllowed(),
    () => denied.expectDenied("another reason"),
    () => denied.expectNoOpinion(),
    () => denied.expectAsked(),
    () => silent.expectDenied(),
    () => silent.expectBlocked(),
    () => silent.expectHalted(),
    () => silent.expectInput({ command: "pwd" }),
    () => silent.expectContext("x"),
  ]) {
    expect(wrong).toThrow(AssertionError);
    expect(wrong).toThrow(/handlers:\n {2}guard: (?:answered|passed)/);
    // Its first line is the author's: the one that expected too much.
    const stack = thrownBy(wrong)
      .stack?.split("\n")
      .filter((line) => line.startsWith("    at "));
    expect(stack?.[0]).toContain("result.test.ts");
  }
  const { operator, actual, expected } = thrownBy(() => denied.expectDenied("another reason"));
  expect({ operator, actual, expected }).toEqual({
    operator: "expectDenied",
    actual: "no rm",
    expected: "another reason",
  });
});

test("expectInput ignores key order, and a global pattern always matches", async () => {
  const both = testClient(createApp().preTool(() => [patchInput({ timeout: 5 }), deny("no no")]));
  const result = await both.preTool("Bash", { command: "ls" });
  const again = /no/g;
  result.expectDenied(again).expectDenied(again);
  const changed = await testClient(createApp().preTool(() => patchInput({ timeout: 5 }))).preTool("Bash", {
    command: "ls",
  });
  changed.expectInput({ timeout: 5, command: "ls" }).expectInput({ command: "ls", timeout: 5 });
});

function thrownBy(work: () => unknown): AssertionError {
  try {
    work();
  } catch (error) {
    return error as AssertionError;
  }
  throw new Error("nothing was thrown");
}
