import { expect, test } from "vitest";
import type { Judge, JudgeAnswer } from "../../src/engine/internal.ts";
import { judge } from "../../src/permissions/internal.ts";
import { bash, openIn } from "./world.ts";

async function allowedUnder(judge: Judge, judgeTimeoutMs = 60_000) {
  const { engine } = await openIn({}, { ports: { judge }, judgeTimeoutMs });
  engine.on("PreToolUse", () => ({ kind: "allow" }));
  engine.on("PermissionRequest", () => ({ kind: "allow" }));
  return engine;
}

const answers =
  (value: unknown): Judge =>
  () =>
    value as JudgeAnswer;
const circle: unknown[] = [];
circle.push(circle);
const throwing = {
  get decision() {
    throw new Error("no field");
  },
};
const throws = (): JudgeAnswer => {
  throw new Error("no database");
};

test.each<[string, Judge, string]>([
  ["throws", throws, "no database"],
  ["rejects", () => Promise.reject(new Error("no database")), "no database"],
  ["answers nothing", answers(undefined), "undefined"],
  ["answers an object without a decision", answers({}), "decision"],
  ["answers a word that does not exist", answers({ decision: "maybe", reason: "r", byRule: false }), "maybe"],
  ["answers a text", answers("allow"), "allow"],
  ["answers a BigInt", answers(1n), "bigint"],
  ["answers a decision in a circle", answers({ decision: circle }), "circular"],
  ["answers an object that throws", answers(throwing), "no field"],
])("a judge that %s asks, with a warning", async (_, judge, words) => {
  const engine = await allowedUnder(judge);
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome).toMatchObject({ decision: "ask", reason: expect.stringContaining(words) });
  expect(outcome.warnings).toContainEqual(
    expect.objectContaining({ code: "judge-failed", message: expect.stringContaining(words) }),
  );
  const request = await engine.fire("PermissionRequest", bash);
  expect(request).toMatchObject({ decision: "deny", blocked: true });
});

test("a judge that never answers asks after judgeTimeoutMs, and its signal is aborted", async () => {
  let aborted = false;
  const hangs: Judge = (_tool, _input, _payload, signal) =>
    new Promise(() => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
    });
  const engine = await allowedUnder(hangs, 50);
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome).toMatchObject({ decision: "ask", reason: expect.stringContaining("timed out after") });
  expect(outcome.warnings).toContainEqual(expect.objectContaining({ code: "judge-failed" }));
  expect(aborted).toBe(true);
});

test("aborting ends the wait for a judge with the signal's reason", async () => {
  const controller = new AbortController();
  const engine = await allowedUnder(() => {
    setImmediate(() => controller.abort(new Error("enough")));
    return new Promise(() => undefined);
  });
  const fired = engine.fire("PreToolUse", bash, { signal: controller.signal });
  await expect(fired).rejects.toThrow("enough");
});

test.each([
  [{ decision: "deny", reason: "r" }, "deny", 0],
  [{ decision: "deny", reason: "r", byRule: true }, "deny", 0],
  [{ decision: "ask", reason: "r" }, "ask", 0],
  [{ decision: "DENY", reason: "r", byRule: true }, "deny", 1],
  [{ decision: "block", byRule: false, reason: "r" }, "deny", 1],
  [{ decision: "deny" }, "deny", 1],
  [{ decision: "deny", reason: "r", byRule: "no" }, "deny", 1],
  [{ decision: "deny", reason: "r", byRule: false }, "allow", 0],
  [{ decision: "allow" }, "allow", 0],
])("a judge that answers %j ends as %s", async (answer, decision, warnings) => {
  const engine = await allowedUnder(answers(answer));
  const outcome = await engine.fire("PreToolUse", bash);
  expect(outcome.decision).toBe(decision);
  expect(outcome.reason === undefined || outcome.reason !== "").toBe(true);
  expect(outcome.warnings.filter(({ code }) => code === "judge-failed")).toHaveLength(warnings);
});

test.each([
  [{}, { decision: "deny", reason: "no user to ask: no rule", attended: false }],
  [{ interactive: false }, { decision: "deny", reason: "no user to ask: no rule", attended: false }],
  [{ interactive: true }, { decision: "ask", reason: "no rule", attended: true }],
])("a question of the rules is a denial unless the engine is interactive: %j", async (options, judged) => {
  const { engine } = await openIn({}, options);
  const { policy, context } = await engine.rules();
  expect(judge({ tool: "Bash", input: { command: "make" } }, policy, context())).toMatchObject(judged);
});

test("a permission mode that does not exist is a warning of the event and of the judgment", async () => {
  const { engine } = await openIn({});
  const payload = { ...bash, session_id: "s", transcript_path: "", tool_use_id: "t", permission_mode: "Plan" };
  const message = 'permission_mode of PreToolUse is "Plan", which is not a permission mode; rules use "default".';
  expect((await engine.fire("PreToolUse", payload)).warnings).toEqual([
    { code: "mode-unknown", message: `${message} Did you mean "plan"?`, place: "permission_mode" },
  ]);
  const { policy, context } = await engine.rules();
  const { mode, warnings } = judge({ tool: "Bash", input: { command: "make" } }, policy, context(payload));
  expect([mode, warnings]).toEqual(["default", [expect.objectContaining({ code: "mode-unknown" })]]);
  for (const permission_mode of ["plan", "manual"]) {
    expect((await engine.fire("PreToolUse", { ...payload, permission_mode })).warnings).toEqual([]);
  }
});

test.each([null, 5, {}])("a permission mode that is not a string is judged as default: %j", async (wrong) => {
  const { engine } = await openIn({ permissions: { defaultMode: "bypassPermissions" } }, { interactive: true });
  const { policy, context } = await engine.rules();
  const call = { tool: "Bash", input: { command: "make" } };
  const judged = judge(call, policy, context({ permission_mode: wrong } as never));
  expect(judged).toMatchObject({ mode: "default", decision: "ask" });
  expect(judge(call, policy, context()).mode).toBe("bypassPermissions");
});
