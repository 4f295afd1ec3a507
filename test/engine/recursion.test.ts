import { expect, test } from "vitest";
import type { Outcome } from "../../src/protocol/internal.ts";
import { bash, command, on, openIn } from "./world.ts";

test("a callback that fires an event inside its event gets it one deeper; three deep nothing runs", async () => {
  const { engine } = await openIn(on("PreToolUse", 'echo "depth $HOOKLINE_DEPTH" >&2'));
  const outcomes: Outcome[] = [];
  engine.on("PreToolUse", async () => {
    outcomes.push(await engine.fire("PreToolUse", bash));
    return undefined;
  });
  outcomes.push(await engine.fire("PreToolUse", bash));
  const results = outcomes.map(({ runs, skipped }) => [
    ...runs.filter(({ hook }) => hook.type === "command").map(({ stderr }) => stderr.trim()),
    ...skipped.map(({ why }) => why),
  ]);
  expect(results).toEqual([["recursion", "recursion"], ["depth 3"], ["depth 2"], ["depth 1"]]);
});

test("the recursion of a callback that waits first ends as well", async () => {
  const { engine } = await openIn({});
  let runs = 0;
  engine.on("PreToolUse", async () => {
    runs++;
    await new Promise((resolve) => setImmediate(resolve));
    await engine.fire("PreToolUse", bash);
    return undefined;
  });
  await engine.fire("PreToolUse", bash);
  expect(runs).toBe(3);
});

test("events fired side by side are not nested", async () => {
  const { engine } = await openIn({});
  engine.on("PreToolUse", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { kind: "allow" };
  });
  for (let round = 0; round < 2; round++) {
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => engine.fire("PreToolUse", bash)));
    expect(outcomes.map(({ decision }) => decision)).toEqual(Array(6).fill("allow"));
  }
});

test("an engine opened inside a hook's process begins where that hook was", async () => {
  const { engine } = await openIn(on("PreToolUse", command('echo "depth $HOOKLINE_DEPTH" >&2')), {
    env: { HOOKLINE_DEPTH: "2" },
  });
  let inner: Outcome | undefined;
  engine.on("PreToolUse", async () => {
    inner = await engine.fire("PreToolUse", bash);
    return undefined;
  });
  const outer = await engine.fire("PreToolUse", bash);
  expect(outer.runs[0]?.stderr).toBe("depth 3\n");
  expect(inner?.skipped.map(({ why }) => why)).toEqual(["recursion", "recursion"]);
});
