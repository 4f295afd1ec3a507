import { expect, test } from "vitest";
import { deferred } from "../../../test/deferred.ts";
import type { Callback, CallbackHook } from "../../protocol/internal.ts";
import { type CallbackCall, contextCallback, runCallback } from "./in-process.ts";

const hook = (callback: Callback, more: Partial<CallbackHook> = {}): CallbackHook => ({
  type: "callback",
  callback,
  ...more,
});

function call(more: Partial<CallbackCall> = {}): CallbackCall {
  const payload = { tool_input: { command: "ls" } };
  return { payload, toolUseId: "t1", timeoutMs: 60_000, signal: new AbortController().signal, ...more };
}

const quiet = { stdout: "", stderr: "", warnings: [] };

test("an answer counts the same at once and later", async () => {
  const deny = { decision: "block", reason: "no" };
  const expected = { ...quiet, ended: { by: "answered" }, output: { kind: "returned", value: deny } };
  expect(
    await runCallback(
      hook(() => deny),
      call(),
    ),
  ).toEqual(expected);
  expect(
    await runCallback(
      hook(async () => deny),
      call(),
    ),
  ).toEqual(expected);
});

test("a callback gets the payload, the id of the tool use and a signal", async () => {
  const seen: unknown[] = [];
  const given = call();
  const callback: Callback = (...args) => {
    seen.push(...args);
    return undefined;
  };
  const ran = await runCallback(hook(callback), given);
  expect(ran).toEqual({ ...quiet, ended: { by: "answered" }, output: { kind: "returned", value: undefined } });
  expect(seen).toEqual([given.payload, "t1", expect.any(AbortSignal)]);
});

test.each<[string, Callback]>([
  ["with three parameters", (_payload, _id, signal) => aborted(signal)],
  ["with rest parameters", (...args) => aborted(args[2])],
  ["of engine.on", contextCallback((_payload, { signal }) => aborted(signal))],
  ["of engine.on with rest parameters", contextCallback((...args) => aborted(args[1].signal))],
  ["of engine.on behind a proxy", contextCallback((_payload, context) => aborted(new Proxy(context, {}).signal))],
  ["of engine.on in an object that inherits", contextCallback((_, context) => aborted(Object.create(context).signal))],
])("the signal of a callback %s is aborted at its timeout", async (_, callback) => {
  expect(await runCallback(hook(callback), call({ timeoutMs: 1 }))).toMatchObject({ ended: { by: "timeout" } });
  await reached.promise;
});

let reached = deferred();

/** Never answers. */
function aborted(signal: AbortSignal): Promise<undefined> {
  reached = deferred();
  signal.addEventListener("abort", () => reached.resolve());
  return new Promise(() => undefined);
}

test("throwing, rejecting and returning nonsense are failures with a message", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  const threw = { ...quiet, ended: { by: "threw", message: "boom" }, output: { kind: "nothing" }, failure: "boom" };
  expect(await runCallback(hook(boom), call())).toEqual(threw);
  expect(
    await runCallback(
      hook(async () => boom()),
      call(),
    ),
  ).toEqual(threw);
  const nonsense = await runCallback(hook((() => "yes") as unknown as Callback), call());
  expect(nonsense).toEqual({
    ...quiet,
    ended: { by: "answered" },
    output: { kind: "returned", value: "yes" },
    failure: "returned a string; a callback returns an object or nothing",
  });
  const list = await runCallback(hook((async () => [1]) as unknown as Callback), call());
  expect(list.failure).toBe("returned a list; a callback returns an object or nothing");
});

test("errorMessage replaces the error of the callback", async () => {
  const more = { errorMessage: "The guard is broken." };
  const boom = () => {
    throw new Error("boom");
  };
  const failures = await Promise.all(
    [boom, async () => boom(), (() => 1) as unknown as Callback].map((each) => runCallback(hook(each, more), call())),
  );
  expect(failures.map((ran) => ran.failure)).toEqual(Array(3).fill("The guard is broken."));
});

test("a callback that never answers is ended at the deadline, and its late rejection is ignored", async () => {
  const late = deferred<undefined>();
  const ran = await runCallback(
    hook(() => late.promise),
    call({ timeoutMs: 10 }),
  );
  expect(ran).toEqual({
    ...quiet,
    ended: { by: "timeout", afterMs: 10 },
    output: { kind: "nothing" },
    failure: "timed out after 10 ms",
  });
  // A rejection that no one handles would fail the run of the tests.
  late.reject(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("a callback that takes a signal sees the abort and its own deadline", async () => {
  const names: string[] = [];
  const waits: Callback = (_payload, _id, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        names.push((signal.reason as Error).name);
        resolve(undefined);
      });
    });
  const timedOut = await runCallback(hook(waits), call({ timeoutMs: 10 }));
  const controller = new AbortController();
  const cancelled = runCallback(hook(waits), call({ signal: controller.signal }));
  controller.abort();
  expect([timedOut.ended, (await cancelled).ended, names]).toEqual([
    { by: "timeout", afterMs: 10 },
    { by: "cancelled" },
    ["TimeoutError", "AbortError"],
  ]);
});

test("nothing is called under an aborted signal", async () => {
  let called = false;
  const ran = await runCallback(
    hook(() => {
      called = true;
      return undefined;
    }),
    call({ signal: AbortSignal.abort() }),
  );
  expect([ran.ended, called]).toEqual([{ by: "cancelled" }, false]);
});

test("a value whose then throws when it is read is a failure, not a crash", async () => {
  const name = "then";
  const trap = Object.defineProperty({}, name, {
    get() {
      throw new Error("trap");
    },
  });
  expect((await runCallback(hook((() => trap) as unknown as Callback), call())).failure).toBe("trap");
});
