import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { deferred } from "../../../test/deferred.ts";
import { settled, timerMs, waitFor } from "./run-limits.ts";

const never = () => new AbortController().signal;

test("an answer, a throw and a rejection come back as values", async () => {
  const limit = { timeoutMs: 60_000, signal: never() };
  expect(await waitFor(async () => 7, limit)).toEqual({ by: "answered", value: 7 });
  const error = new Error("no");
  expect(await waitFor(() => Promise.reject(error), limit)).toEqual({ by: "threw", error });
  const throwing = () => {
    throw error;
  };
  expect(await waitFor(throwing, limit)).toEqual({ by: "threw", error });
});

test("a call without an answer is aborted at the deadline", async () => {
  let told: unknown;
  const waited = await waitFor(
    (signal) => {
      signal.addEventListener("abort", () => {
        told = (signal.reason as Error).name;
      });
      return new Promise<never>(() => undefined);
    },
    { timeoutMs: 20, signal: never() },
  );
  expect([waited, told]).toEqual([{ by: "timeout" }, "TimeoutError"]);
});

test("an abort ends the wait and passes its reason on", async () => {
  const controller = new AbortController();
  let told: unknown;
  const waiting = waitFor(
    (signal) => {
      signal.addEventListener("abort", () => {
        told = signal.reason;
      });
      return new Promise<never>(() => undefined);
    },
    { timeoutMs: 60_000, signal: controller.signal },
  );
  controller.abort("enough");
  expect([await waiting, told]).toEqual([{ by: "cancelled" }, "enough"]);
});

test("work is not begun under an aborted signal", async () => {
  let begun = false;
  const waited = await waitFor(
    async () => {
      begun = true;
    },
    { timeoutMs: 60_000, signal: AbortSignal.abort() },
  );
  expect([waited, begun]).toEqual([{ by: "cancelled" }, false]);
});

test("a rejection after the deadline is ignored", async () => {
  const late = deferred();
  expect(await settled(late.promise, { timeoutMs: 5, signal: never() })).toEqual({ by: "timeout" });
  // A rejection that no one handles would fail the run of the tests.
  late.reject(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("fifty waits on one signal do not warn of a leak and leave no listener behind", async () => {
  const controller = new AbortController();
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const waits = Array.from({ length: 50 }, () =>
    settled(new Promise((resolve) => setImmediate(resolve)), { timeoutMs: 60_000, signal: controller.signal }),
  );
  await Promise.all(waits);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", onWarning);
  expect([warnings, getEventListeners(controller.signal, "abort")]).toEqual([[], []]);
});

test("a time beyond what a timer holds is shortened, not taken for zero", () => {
  expect([timerMs(5), timerMs(2 ** 31), timerMs(Number.POSITIVE_INFINITY)]).toEqual([5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
