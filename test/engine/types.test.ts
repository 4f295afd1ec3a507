import { expect, test } from "vitest";
import {
  type CallbackHandler,
  type Engine,
  type EventPayload,
  type HookOutput,
  type Outcome,
  openEngine,
  type Payload,
  Problem,
  type RunRecord,
  type Warning,
} from "../../src/engine/index.ts";
import { combine, type Judgement } from "../../src/permissions/internal.ts";

// The compiler runs these tests (`npm run check`): a line below `@ts-expect-error` that compiles is an error.

/** Wrong event names and payload fields do not compile. */
async function events(engine: Engine): Promise<void> {
  await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  await engine.fire("SessionStart", { source: "startup", cwd: "/t" });
  await engine.fire("Stop", {});
  // @ts-expect-error a misspelled event
  await engine.fire("PreTooluse", { tool_name: "Bash", tool_input: {} });
  // @ts-expect-error fields of a wrong type
  await engine.fire("PreToolUse", { tool_name: 5, tool_input: "ls" });
  // @ts-expect-error a misspelled field
  await engine.fire("PreToolUse", { tool_nam: "Bash", tool_input: {} });
  // @ts-expect-error an unknown field next to known ones
  await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: {}, tool_us_id: "t" });
  // @ts-expect-error a missing field
  await engine.fire("PreToolUse", { tool_name: "Bash" });
  // @ts-expect-error a word that the event does not have
  await engine.fire("SessionStart", { source: "boot" });
  // @ts-expect-error
  engine.stream("Stopp", {});
  // @ts-expect-error
  engine.stream("Stop", { last_message: "x" });
  // @ts-expect-error
  engine.notify("Notify", { message: "x" });
  // @ts-expect-error
  engine.notify("Notification", { messages: "x" });
  // @ts-expect-error
  engine.hasHookFor("PreTool");
  // @ts-expect-error
  engine.budgetMs("SessionStop");
  // @ts-expect-error
  engine.explain("PreToolUse", { tool: "Bash" });
  // @ts-expect-error
  engine.session("s").register("PreTool", undefined, { type: "command", command: "true" });
}

/** Wrong answers do not compile. */
function answers(engine: Engine): void {
  engine.on("PreToolUse", ({ tool_name, tool_input }) => void [tool_name.toUpperCase(), tool_input["command"]]);
  engine.on("PreToolUse", "Bash", () => ({ kind: "deny", reason: "r" }));
  engine.on("PreToolUse", async () => ({ decision: "block", reason: "r" }));
  engine.on("PreToolUse", () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } }));
  engine.on("Stop", () => undefined);
  const anywhere: CallbackHandler = ({ session_id }) => void session_id;
  engine.on("Stop", anywhere);
  engine.on("PreToolUse", anywhere);
  const guard: CallbackHandler<"PreToolUse"> = ({ tool_name }) =>
    tool_name === "Bash" ? { kind: "ask", reason: "r" } : null;
  engine.on("PreToolUse", guard);
  // @ts-expect-error a misspelled event
  engine.on("PreToolUze", () => undefined);
  // @ts-expect-error a field that the event does not have
  engine.on("PreToolUse", ({ tool_nam }) => void tool_nam);
  // @ts-expect-error a verdict that does not exist
  engine.on("PreToolUse", () => ({ kind: "block", reason: "r" }));
  // @ts-expect-error
  engine.on("PreToolUse", async () => ({ kind: "Deny", reason: "r" }));
  // @ts-expect-error a denial needs a reason
  engine.on("PreToolUse", () => ({ kind: "deny" }));
  // @ts-expect-error the word there is block
  engine.on("PreToolUse", () => ({ decision: "deny", reason: "r" }));
  // @ts-expect-error
  engine.on("PreToolUse", () => ({ behavior: "deny", reason: "r" }));
  // @ts-expect-error it belongs into hookSpecificOutput
  engine.on("PreToolUse", () => ({ permissionDecision: "deny", reason: "r" }));
  // @ts-expect-error another event's answer
  engine.on("PreToolUse", () => ({ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "c" } }));
  // @ts-expect-error a missing handler
  engine.on("Stop", "x");
  // @ts-expect-error
  engine.on("Stop", guard);
}

/** A host's own events are typed like the catalog's, and unknown ones have a call of their own. */
async function own(engine: Engine<{ Deploy: { target: string } }>): Promise<void> {
  await engine.fire("Deploy", { target: "production" });
  engine.on("Deploy", "production", ({ target, cwd }) => void [target.trim(), cwd]);
  // @ts-expect-error
  await engine.fire("Deploy", { tagret: "production" });
  // @ts-expect-error
  await engine.fire("Deploi", { target: "production" });
  await engine.fireUnknown("Deploi", JSON.parse("{}"), { forceSync: true });
}

/** What the entry point's functions take and give can be named, and an outcome goes into `combine` as it is. */
function names(outcome: Outcome, judgement: Judgement): unknown {
  const runs: readonly RunRecord[] = outcome.runs;
  const warnings: readonly Warning[] = outcome.warnings;
  const output: HookOutput = { systemMessage: "x" };
  const payload: Payload<"Stop">["stop_hook_active"] = true;
  const sent: EventPayload<"Stop"> = {};
  // @ts-expect-error half a verdict is none
  combine({ reason: "r" }, judgement);
  return [combine(outcome, judgement).decision, runs, warnings, output, payload, sent];
}

test("the class of errors is exported by the main entry point", async () => {
  const opened = openEngine({ concurrency: 0 });
  await expect(opened).rejects.toBeInstanceOf(Problem);
  await expect(opened).rejects.toMatchObject({ code: "engine/bad-option" });
});

test("wrong event names, payload fields and answers do not compile", () => {
  // Compiled, never called.
  expect([events, answers, own, names].every((lines) => typeof lines === "function")).toBe(true);
});
