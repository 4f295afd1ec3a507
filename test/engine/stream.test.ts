import { expect, test } from "vitest";
import type { EventStep } from "../../src/engine/internal.ts";
import { bash, command, on, openIn } from "./world.ts";

test("a stream reports each hook's start and end, then the outcome, which is what fire gives", async () => {
  const denies = "until [ -e second ]; do sleep 0.02; done; echo no >&2; exit 2";
  const hooks = [command(denies, { statusMessage: "Looking at it" }), command("touch second")];
  const { engine } = await openIn(on("PreToolUse", ...hooks));
  const steps: EventStep[] = [];
  const stream = engine.stream("PreToolUse", bash);
  let next = await stream.next();
  for (; !next.done; next = await stream.next()) steps.push(next.value);

  expect(steps.map(({ kind }) => kind)).toEqual(["started", "started", "ended", "ended", "outcome"]);
  const [first, second] = steps;
  expect(first).toMatchObject({ hook: { name: denies }, statusMessage: "Looking at it" });
  expect(second).not.toHaveProperty("statusMessage");
  const last = steps.at(-1);
  if (last?.kind !== "outcome") throw new Error("the last step is the outcome");
  expect(last.outcome).toBe(next.value);
  expect(last.outcome).toMatchObject({ decision: "deny", blocked: true, reason: "no" });
  const ended = steps.flatMap((step) => (step.kind === "ended" ? [step.record] : []));
  expect(new Set(ended)).toEqual(new Set(last.outcome.runs));
});

test("a stream of an event without answers is its outcome", async () => {
  const { engine } = await openIn({});
  const steps: EventStep[] = [];
  for await (const step of engine.stream("Stop", {})) steps.push(step);
  expect(steps.map(({ kind }) => kind)).toEqual(["outcome"]);
});

test("what fire refuses, the stream refuses", async () => {
  const { engine } = await openIn({});
  await expect(engine.stream("PreToolUse", {} as never).next()).rejects.toMatchObject({ code: "event/bad-payload" });
});
