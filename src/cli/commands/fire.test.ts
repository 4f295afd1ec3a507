import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

test("fire warns about a tool that belongs to another agent and keeps its exit status", async () => {
  const input = JSON.stringify({ tool_name: "run_shell_command", tool_input: { command: "ls" } });
  const home = mkdtempSync(join(tmpdir(), "fire-"));
  const { status, out } = await callHookline(["fire", "PreToolUse", "--input", input, "--json"], { home });
  const { warnings } = JSON.parse(out) as { warnings: readonly { code: string; place?: string }[] };
  expect([status, warnings.filter((one) => one.code === "foreign-name").map(({ place }) => place)]).toEqual([
    0,
    ["run_shell_command"],
  ]);
});
