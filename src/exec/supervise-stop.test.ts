import { beforeEach, expect, test, vi } from "vitest";
import { onAbort, startPausableDeadline } from "./supervise.ts";

beforeEach(() => void vi.useFakeTimers());

function watched(limitMs: number) {
  let hasPassed = false;
  const deadline = startPausableDeadline(limitMs, () => {
    hasPassed = true;
  });
  return { deadline, passed: () => hasPassed };
}

test("a deadline passes after its limit and not before", () => {
  const { passed } = watched(60);
  vi.advanceTimersByTime(59);
  expect(passed()).toBe(false);
  vi.advanceTimersByTime(2);
  expect(passed()).toBe(true);
});

test("a cleared deadline never passes", () => {
  const { deadline, passed } = watched(20);
  deadline.clear();
  deadline.set(10);
  deadline.resume();
  vi.advanceTimersByTime(1_000);
  expect(passed()).toBe(false);
});

test("the clock stops until every pause is resumed", () => {
  const { deadline, passed } = watched(50);
  vi.advanceTimersByTime(20);
  deadline.pause();
  deadline.pause();
  vi.advanceTimersByTime(100);
  deadline.resume();
  vi.advanceTimersByTime(100);
  expect(passed()).toBe(false);
  deadline.resume();
  vi.advanceTimersByTime(29);
  expect(passed()).toBe(false);
  vi.advanceTimersByTime(2);
  expect(passed()).toBe(true);
});

test("a new limit replaces the old one and counts from now", () => {
  const { deadline, passed } = watched(50);
  vi.advanceTimersByTime(40);
  deadline.set(250);
  vi.advanceTimersByTime(249);
  expect(passed()).toBe(false);
  vi.advanceTimersByTime(2);
  expect(passed()).toBe(true);
  expect(deadline.limitMs).toBe(250);
});

test("a new limit set during a pause starts when the clock does", () => {
  const { deadline, passed } = watched(10_000);
  deadline.pause();
  deadline.set(20);
  vi.advanceTimersByTime(1_000);
  expect(passed()).toBe(false);
  deadline.resume();
  vi.advanceTimersByTime(21);
  expect(passed()).toBe(true);
});

test("a limit longer than any timer of the platform passes in its own time", () => {
  const { passed } = watched(2 ** 32);
  const endless = watched(Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(2 ** 32 - 2);
  expect([passed(), endless.passed()]).toEqual([false, false]);
  vi.advanceTimersByTime(3);
  expect([passed(), endless.passed()]).toEqual([true, false]);
  endless.deadline.clear();
});

test("a limit of 0, a negative limit and NaN pass at once", () => {
  const limits = [0, -5, Number.NaN].map(watched);
  vi.advanceTimersByTime(2);
  expect(limits.map(({ passed }) => passed())).toEqual([true, true, true]);
});

test("every callback that still waits is called once when the signal is aborted", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const wait = (name: string) => onAbort(controller.signal, () => called.push(name));
  wait("first");
  wait("second")();
  wait("third");
  controller.abort();
  controller.abort();
  expect(called).toEqual(["first", "third"]);
});

test("a callback may stop waiting, and another may begin, while they are called", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const stop = onAbort(controller.signal, () => {
    stop();
    called.push("one");
  });
  onAbort(controller.signal, () => called.push("two"));
  controller.abort();
  expect(called).toEqual(["one", "two"]);
});
