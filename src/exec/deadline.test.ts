import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startDeadline } from "./deadline.ts";

function watched(limitMs: number) {
  const startedAt = performance.now();
  let passedAt: number | undefined;
  const deadline = startDeadline(limitMs, () => {
    passedAt = performance.now() - startedAt;
  });
  return { deadline, passed: () => passedAt !== undefined, passedAt: () => passedAt ?? 0 };
}

test("passes after its limit and not before", async () => {
  const { passedAt } = watched(60);
  await sleep(200);
  expect(passedAt()).toBeGreaterThanOrEqual(59);
});

test("a cleared deadline never passes", async () => {
  const { deadline, passed } = watched(20);
  deadline.clear();
  deadline.set(10);
  deadline.resume();
  await sleep(80);
  expect(passed()).toBe(false);
});

test("the clock stands still until every pause is resumed", async () => {
  const { deadline, passed } = watched(50);
  deadline.pause();
  deadline.pause();
  await sleep(120);
  deadline.resume();
  await sleep(120);
  expect(passed()).toBe(false);
  deadline.resume();
  await sleep(200);
  expect(passed()).toBe(true);
});

test("a new limit replaces the old and counts from now", async () => {
  const { deadline, passedAt } = watched(50);
  deadline.set(250);
  await sleep(150);
  expect(passedAt()).toBe(0);
  await sleep(300);
  expect(passedAt()).toBeGreaterThanOrEqual(249);
  expect(deadline.limitMs).toBe(250);
});

test("a new limit set while the clock stands still starts with it", async () => {
  const { deadline, passed } = watched(10_000);
  deadline.pause();
  deadline.set(20);
  await sleep(100);
  expect(passed()).toBe(false);
  deadline.resume();
  await sleep(150);
  expect(passed()).toBe(true);
});

test("a limit longer than any timer of the platform does not pass at once", async () => {
  const { deadline, passed } = watched(2 ** 40);
  const endless = watched(Number.POSITIVE_INFINITY);
  await sleep(60);
  expect([passed(), endless.passed()]).toEqual([false, false]);
  deadline.clear();
  endless.deadline.clear();
});

test("a limit of nothing, or of no number, passes at once", async () => {
  const limits = [0, -5, Number.NaN].map(watched);
  await sleep(60);
  expect(limits.map(({ passed }) => passed())).toEqual([true, true, true]);
});
