import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchIdle } from "./lifetime.ts";

const complain = vi.fn();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the daemon exits after the idle time, not while it is busy, and asks whether it is busy only when it is quiet", async () => {
  let isBusy = true;
  const busy = vi.fn(async () => isBusy);
  const leave = vi.fn();
  const idle = watchIdle(1_000, busy, leave, complain);
  await vi.advanceTimersByTimeAsync(900);
  idle.touch();
  await vi.advanceTimersByTimeAsync(900);
  expect(busy).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(600);
  expect([busy.mock.calls.length > 0, leave.mock.calls.length]).toEqual([true, 0]);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(300);
  expect(leave).toHaveBeenCalled();
  idle.end();
});

test("the daemon does not exit when a call arrives while it checks whether it is busy", async () => {
  let say: (busy: boolean) => void = () => undefined;
  const leave = vi.fn();
  const busy = () => new Promise<boolean>((resolve) => (say = resolve));
  const idle = watchIdle(1_000, busy, leave, complain);
  await vi.advanceTimersByTimeAsync(1_100);
  idle.touch();
  say(false);
  await vi.advanceTimersByTimeAsync(300);
  expect(leave).not.toHaveBeenCalled();
  idle.end();
});

test("the daemon stays while it cannot be determined whether it is busy, reports why once, and asks again", async () => {
  const leave = vi.fn();
  const noAccess = new Error("no access");
  const busy = vi
    .fn(async () => false)
    .mockRejectedValueOnce(noAccess)
    .mockRejectedValueOnce(noAccess);
  const idle = watchIdle(1_000, busy, leave, complain);
  await vi.advanceTimersByTimeAsync(1_100);
  expect([busy.mock.calls.length, leave.mock.calls.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(600);
  expect(leave).toHaveBeenCalled();
  const line = "The daemon keeps running, because it cannot tell whether it is still needed: no access";
  expect(complain.mock.calls).toEqual([[line]]);
  idle.end();
});
