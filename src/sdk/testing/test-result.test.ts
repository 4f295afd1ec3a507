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

test("an expectation that does not hold throws an AssertionError that shows the trace", async () => {
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

test("a denial by a failure is not what expectDenied and expectBlocked mean, unless the test names the failure", async () => {
  const broken = testClient(
    createApp({ onFailure: "block" })
      .preTool("Bash", { name: "no-rm" }, () => {
        throw new Error("boom");
      })
      .onStop({ name: "gate" }, () => {
        throw new Error("boom");
      }),
  );
  const denied = await broken.preTool("Bash", { command: "rm" });
  const blocked = await broken.stop({ stop_hook_active: false });
  for (const wrong of [
    () => denied.expectDenied(),
    () => denied.expectBlocked(),
    () => denied.expectDenied("no-rm"),
    () => denied.expectDenied(/rm/g),
    () => blocked.expectBlocked(),
  ]) {
    expect(wrong).toThrow(AssertionError);
    expect(wrong).toThrow(/by an answer, but this is a failure: .* failed: boom/);
    expect(wrong).toThrow(/To expect a failure, pass its text: expect\w+\("failed: boom/);
  }
  denied
    .expectDenied("failed: boom")
    .expectDenied(/^no-rm failed: boom/)
    .expectBlocked(/failed/);
  blocked.expectBlocked("boom");
  expect(() => denied.expectDenied("another")).toThrow("expected PreToolUse to be denied because of another");
});

test("a failed middleware and a payload that cannot be answered are failures too", async () => {
  const app = createApp({ onFailure: "block" }).preTool("Bash", () => deny("no"));
  const foreign = await testClient(app).raw({ hook_event_name: "PreToolUse", tool_name: "run_shell_command" });
  expect(() => foreign.expectDenied()).toThrow("but this is a failure");
  app.use(() => {
    throw new Error("boom");
  });
  const wrapped = await testClient(app).preTool("Bash", { command: "rm" });
  expect(() => wrapped.expectDenied()).toThrow("but this is a failure: The app's middleware failed: boom");
  wrapped.expectDenied("middleware failed: boom");
});

test("expectNoOpinion does not hold for a handler that fails again and again", async () => {
  const client = testClient(
    createApp().preTool("Bash", { name: "guard" }, () => {
      throw new Error("boom");
    }),
  );
  for (let call = 0; call < 2; call++) {
    const result = await client.preTool("Bash", { command: "ls" });
    expect(() => result.expectNoOpinion()).toThrow("expected no opinion about PreToolUse");
  }
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
