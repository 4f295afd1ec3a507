import { expect, test } from "vitest";
import { createApp, type ObservationKind } from "../index.ts";
import { testClient } from "../testing/index.ts";
import { observationKinds, openObservers } from "./observers.ts";

test("everything that can be observed occurs, and names the handler that it concerns", async () => {
  const seen: (readonly [ObservationKind, unknown])[] = [];
  const app = createApp()
    .observe(({ kind, handler }) => void seen.push([kind, handler]))
    .use(async (_event, _ctx, next) => {
      await next();
      throw new Error("late");
    })
    .onStop({ name: "skips", when: () => false }, () => undefined)
    .onStop({ name: "emits" }, (_event, { emit }) => emit("done", 1))
    .onStop({ name: "breaks" }, () => {
      throw new Error("boom");
    });
  await testClient(app).stop();
  expect(seen).toEqual([
    ["hook-start", undefined],
    ["handler-start", "skips"],
    ["handler-skip", "skips"],
    ["handler-start", "emits"],
    ["custom", "emits"],
    ["handler-end", "emits"],
    ["handler-start", "breaks"],
    ["handler-error", "breaks"],
    ["hook-error", undefined],
    ["hook-end", undefined],
  ]);
  expect(new Set(seen.map(([kind]) => kind))).toEqual(new Set(observationKinds));
});

test("an observer that rejects does not fail the app", async () => {
  const complaints: string[] = [];
  const observers = openObservers();
  observers.add([() => Promise.reject(new Error("no disk"))]);
  observers.notify(
    "hook-end",
    () => ({ event: "Stop" }),
    (line) => void complaints.push(line),
  );
  await new Promise(setImmediate);
  expect(complaints).toEqual(["An observer of hook-end threw: no disk"]);
});

test("an observer of one kind receives only that kind", () => {
  const seen: unknown[] = [];
  const observers = openObservers();
  observers.add(["handler-skip", (observation: unknown) => void seen.push(observation)]);
  observers.notify(
    "handler-start",
    () => ({ event: "Stop" }),
    () => undefined,
  );
  observers.notify(
    "handler-skip",
    () => ({ event: "Stop", handler: "h" }),
    () => undefined,
  );
  expect(seen).toEqual([{ kind: "handler-skip", event: "Stop", handler: "h" }]);
});
