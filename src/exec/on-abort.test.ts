import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

test("all who still wait are called once when the signal is aborted", () => {
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
