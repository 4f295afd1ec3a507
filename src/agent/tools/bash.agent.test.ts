import { expect, test } from "vitest";
import { findLeftovers } from "../../exec/internal.ts";
import { toolWorld } from "./fixtures/world.ts";
import { bashTool } from "./shell/bash.ts";

test("a command over its time is ended with all it started", async () => {
  const { call, context } = toolWorld();
  const command = "(setsid sleep 61 &) ; echo before; sleep 62";
  const result = await call(bashTool(), { command, timeout: 1_500 });
  expect(result).toEqual({
    isError: true,
    content: "Exit code 143\nCommand timed out after 2s\nbefore",
    interrupted: false,
  });
  expect(await findLeftovers("HOOKLINE_RUN", context.shells.tag)).toEqual([]);
});
