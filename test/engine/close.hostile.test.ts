import { expect, test } from "vitest";
import { bash, command, on, openIn } from "./world.ts";

test("sixty hooks on one event print no warning of Node's", async () => {
  const heard: Error[] = [];
  const hear = (warning: Error) => heard.push(warning);
  process.on("warning", hear);
  const hooks = Array.from({ length: 60 }, (_, number) => command(`exit 0 # ${number}`));
  const { engine } = await openIn(on("PreToolUse", ...hooks));
  const { signal } = new AbortController();
  expect((await engine.fire("PreToolUse", bash)).runs).toHaveLength(60);
  expect((await engine.fire("PreToolUse", bash, { signal })).runs).toHaveLength(60);
  process.off("warning", hear);
  expect(heard).toEqual([]);
});
