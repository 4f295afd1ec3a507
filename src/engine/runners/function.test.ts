import { expect, test } from "vitest";
import type { FunctionHook, StopFunction } from "../../protocol/internal.ts";
import { runFunction } from "./in-process.ts";

const hook = (check: StopFunction): FunctionHook => ({
  type: "function",
  function: check,
  errorMessage: "Run the tests.",
});
const call = (timeoutMs = 60_000) => ({
  messages: [{ role: "user" }],
  timeoutMs,
  signal: new AbortController().signal,
});
const quiet = { stdout: "", stderr: "", warnings: [] };
const answered = { ...quiet, ended: { by: "answered" } };

test("true lets the agent stop, false makes it continue with errorMessage as the reason", async () => {
  const stop = { kind: "judged", ok: true, continueOnBlock: false };
  expect(
    await runFunction(
      hook((messages) => messages.length === 1),
      call(),
    ),
  ).toEqual({ ...answered, output: stop });
  expect(
    await runFunction(
      hook(async () => false),
      call(),
    ),
  ).toEqual({
    ...answered,
    output: { kind: "judged", ok: false, reason: "Run the tests.", continueOnBlock: false },
  });
});

test("anything but true or false is a failure", async () => {
  const ran = await runFunction(hook((() => "yes") as unknown as StopFunction), call());
  const failure = "returned string; a function hook returns true or false";
  expect(ran).toEqual({ ...answered, output: { kind: "nothing" }, failure });
});

test("a throw and a wait without end are failures", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  expect((await runFunction(hook(boom), call())).ended).toEqual({ by: "threw", message: "boom" });
  const never = () => new Promise<boolean>(() => undefined);
  expect((await runFunction(hook(never), call(10))).ended).toEqual({ by: "timeout", afterMs: 10 });
});
