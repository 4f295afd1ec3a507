import { expect, test } from "vitest";
import { openObservers } from "./observe.ts";

test("SD-14: an observer that rejects was an unhandled rejection, and that is a failure of the whole app", async () => {
  const told: string[] = [];
  const observers = openObservers();
  observers.add([() => Promise.reject(new Error("no disk"))]);
  observers.tell(
    "hook-end",
    () => ({ event: "Stop" }),
    (line) => void told.push(line),
  );
  await new Promise(setImmediate);
  expect(told).toEqual(["An observer of hook-end threw: no disk"]);
});

test("SD-14: an observer of one kind is told of that kind only", () => {
  const seen: unknown[] = [];
  const observers = openObservers();
  observers.add(["handler-skip", (observation: unknown) => void seen.push(observation)]);
  observers.tell(
    "handler-start",
    () => ({ event: "Stop" }),
    () => undefined,
  );
  observers.tell(
    "handler-skip",
    () => ({ event: "Stop", handler: "h" }),
    () => undefined,
  );
  expect(seen).toEqual([{ kind: "handler-skip", event: "Stop", handler: "h" }]);
});
