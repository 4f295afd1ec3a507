import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { on, openIn } from "./world.ts";

test("a hook that does not read a payload of 5 MB is not an error, time after time", async () => {
  const { engine } = await openIn(on("PreToolUse", "exit 0"));
  const payload = { tool_name: "Write", tool_input: { content: "x".repeat(5_000_000) } };
  const descriptors = () => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
  await engine.fire("PreToolUse", payload);
  const before = descriptors();
  for (let run = 0; run < 20; run++) {
    const { runs, warnings } = await engine.fire("PreToolUse", payload);
    expect(runs).toMatchObject([{ ended: { by: "exit", code: 0 } }]);
    expect(warnings.map(({ code }) => code)).toEqual(["payload-incomplete"]);
  }
  expect(descriptors()).toBe(before);
});
