import { expect, test } from "vitest";
import { bash, command, openIn } from "./world.ts";

const big = { ...bash, tool_input: { command: `echo SECRET ${"x".repeat(100_000)}` } };
const guard = `printf '%s' "$ARGUMENTS" | grep -q SECRET && exit 2; exit 0`;

test("a command that names $ARGUMENTS sees a payload below the limit", async () => {
  const { engine } = await openIn({ hooks: { PreToolUse: [{ hooks: [command(guard)] }] } });
  const outcome = await engine.fire("PreToolUse", { ...bash, tool_input: { command: "echo SECRET" } });
  expect(outcome.decision).toBe("deny");
});

test("a command that names $ARGUMENTS fails when the payload exceeds the limit", async () => {
  for (const spelling of ["$ARGUMENTS", "${ARGUMENTS}", "${ARGUMENTS:-none}", "${#ARGUMENTS}"]) {
    const hook = command(guard.replace("$ARGUMENTS", spelling));
    const { engine } = await openIn({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    const outcome = await engine.fire("PreToolUse", big);
    expect([spelling, outcome.decision, outcome.runs[0]?.ended.by]).toEqual([spelling, "none", "not-started"]);
    const failed = outcome.warnings.find(({ code }) => code === "hook-failed");
    expect(failed?.message).toContain("$ARGUMENTS holds at most 100000; read the payload from stdin");
  }
});

test("a payload over the limit denies with onFailure block", async () => {
  const { engine } = await openIn({ hooks: { PreToolUse: [{ hooks: [command(guard, { onFailure: "block" })] }] } });
  expect((await engine.fire("PreToolUse", big)).decision).toBe("deny");
});

test("commands that do not name $ARGUMENTS read a large payload from stdin as always", async () => {
  const { engine } = await openIn({ hooks: { PreToolUse: [{ hooks: [command("grep -q SECRET && exit 2")] }] } });
  expect((await engine.fire("PreToolUse", big)).decision).toBe("deny");
});
