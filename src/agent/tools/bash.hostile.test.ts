import { expect, test } from "vitest";
import { toolWorld } from "./fixtures/world.ts";
import { bashTool } from "./shell/bash.ts";

test("a command without end that prints is ended before it fills the disk", async () => {
  const { call } = toolWorld();
  const { content } = await call(bashTool(), { command: "yes hookline", timeout: 20_000 });
  expect(content).toContain("Command printed more than 256MB");
});
