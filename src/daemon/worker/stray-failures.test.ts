import { expect, test } from "vitest";
import { openStrayFailures } from "./stray-failures.ts";

function opened() {
  const running = new Map<number, ReturnType<typeof call>>();
  const strays = openStrayFailures(running);
  strays.loaded();
  const seen: string[] = [];
  const call = (blocks: boolean) => ({
    message: {
      asked: { text: "", transport: "http", onFailure: undefined, env: undefined, envOf: 0, cwd: undefined } as const,
    },
    isAnswered: false,
    blocks: () => blocks,
    fail: (why: string) => void seen.push(`refused: ${why}`),
    report: (why: string) => void seen.push(`reported: ${why}`),
  });
  const next = (blocks: boolean) => {
    strays.giveTo(call(blocks));
    return seen.splice(0);
  };
  return { fail: (why: string) => strays.add(() => why), next };
}

test("each failure outside of a call is reported to the next call, also after one that no blocking call has seen", () => {
  const { fail, next } = opened();
  fail("first");
  expect([next(false), next(false)]).toEqual([["reported: first"], []]);
  fail("second");
  expect([next(false), next(false)]).toEqual([["reported: second"], []]);
  expect([next(true), next(true)]).toEqual([["refused: second"], []]);
});

test("of several failures between two calls the first is reported", () => {
  const { fail, next } = opened();
  fail("first");
  fail("second");
  expect([next(true), next(true)]).toEqual([["refused: first"], []]);
});
