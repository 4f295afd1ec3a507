import { beforeEach, expect, test, vi } from "vitest";
import type { Callback, Hook } from "../../src/protocol/internal.ts";
import type { openIn as OpenIn } from "./world.ts";

const bash = {
  session_id: "s-1",
  transcript_path: "",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t-1",
};
const deny: Callback = () => ({ kind: "deny", reason: "from the hook" });
const callback = (fields: Partial<Hook>) => ({ type: "callback", callback: deny, ...fields }) as Hook;
let openIn: typeof OpenIn;

// The compiler of conditions is loaded once per process. With new modules, every test registers before it is loaded.
beforeEach(async () => {
  vi.resetModules();
  ({ openIn } = await import("./world.ts"));
});

async function registered(...hooks: readonly Hook[]) {
  const { engine } = await openIn({});
  for (const hook of hooks) engine.session("s-1").register("PreToolUse", undefined, hook);
  return engine;
}

test("a condition that is registered before its compiler is loaded is evaluated at the first event", async () => {
  const hooks = ["Bash(ls)", "Bash(git *)"].map((rule) => callback({ if: rule, name: rule } as Partial<Hook>));
  const { runs, skipped } = await (await registered(...hooks)).fire("PreToolUse", bash);
  expect([runs.map(({ hook }) => hook.name), skipped.map(({ why }) => why)]).toEqual([["Bash(ls)"], ["if"]]);
});

test("a condition that is registered while the first event waits for the compiler is evaluated", async () => {
  const engine = await registered(callback({ if: "Bash(git *)" }));
  const firing = engine.fire("PreToolUse", bash);
  engine.session("s-1").register("PreToolUse", undefined, callback({ if: "Bash(git *)" }));
  const { decision, skipped } = await firing;
  expect([decision, skipped.map(({ why }) => why)]).toEqual(["none", ["if", "if"]]);
});

test("a plan that is asked for before the first event does not say that a condition holds", async () => {
  const engine = await registered(callback({ if: "Bash(git *)" }));
  expect(engine.explain("PreToolUse", bash)).toMatchObject({ hooks: [{ runs: false, why: "if" }] });
});

test("a hook that is removed before its condition is compiled leaves no warning", async () => {
  const { engine } = await openIn({});
  const remove = engine.session("s-1").register("PreToolUse", undefined, callback({ if: "Bash(" }));
  remove();
  expect((await engine.fire("PreToolUse", bash)).warnings).toEqual([]);
});

test("a hook with an invalid condition that is registered early never runs, with a warning", async () => {
  const engine = await registered(callback({ if: "Bash(" }));
  const { decision, warnings } = await engine.fire("PreToolUse", bash);
  expect(decision).toBe("none");
  expect(warnings).toEqual([expect.objectContaining({ code: "if-invalid" })]);
  expect((await engine.fire("PreToolUse", bash)).warnings).toEqual([]);
});

test("a guard with an invalid condition that is registered early denies, and names the condition", async () => {
  const engine = await registered(callback({ if: "Bash(", onFailure: "block", callback: () => undefined }));
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining('if "Bash(" is not a permission rule'),
  });
});

test("an invalid condition is refused at registration once the compiler is loaded", async () => {
  const engine = await registered(callback({ if: "Bash(ls)" }));
  await engine.fire("PreToolUse", bash);
  expect(() => engine.session("s-1").register("PreToolUse", undefined, callback({ if: "Bash(" }))).toThrow(
    expect.objectContaining({ code: "hook/invalid", message: expect.stringContaining("is not a permission rule") }),
  );
});
