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

test("fire and explain of a tool event without a tool say how to name one", async () => {
  const home = mkdtempSync(join(tmpdir(), "fire-"));
  const missing = "tool_name is missing; PreToolUse needs it.";
  const fired = await callHookline(["fire", "PreToolUse"], { home });
  expect([fired.status, fired.err]).toEqual([
    1,
    expect.stringContaining(
      `${missing} Pass one, such as --input '{"tool_name":"Bash","tool_input":{"command":"ls"}}'.`,
    ),
  ]);
  const explained = await callHookline(["explain", "PreToolUse"], { home });
  expect([explained.status, explained.err]).toEqual([
    1,
    expect.stringContaining(`${missing} Name a tool, such as --tool Bash.`),
  ]);
});

test("fire and explain show a deny rule that cannot be read", async () => {
  const home = mkdtempSync(join(tmpdir(), "fire-"));
  const given = ["Stop", "--settings", '{"permissions":{"deny":["bash(rm *)"]}}', "--json"];
  for (const command of ["fire", "explain"]) {
    const { out } = await callHookline([command, ...given], { home });
    const { warnings } = JSON.parse(out) as { warnings: readonly { code: string }[] };
    expect([command, warnings.map(({ code }) => code)]).toEqual([command, expect.arrayContaining(["rule-invalid"])]);
  }
});

test("fire, list and explain warn that HOOKLINE=0 switches hooks off, wherever it is set", async () => {
  const home = mkdtempSync(join(tmpdir(), "fire-"));
  for (const words of [["fire", "Stop"], ["list"], ["explain", "Stop"]]) {
    const env = { HOME: home, HOOKLINE: "0" };
    const warning = "warning disabled: HOOKLINE=0 in the environment switches off every hook of Hookline apps.";
    expect((await callHookline(words, { home, env })).out).toContain(warning);
    const settings = ["--settings", '{"env":{"HOOKLINE":"0"}}', "--json"];
    const { out } = await callHookline([...words, ...settings], { home, env: { HOME: home } });
    expect(out).toContain("HOOKLINE=0 in env of the settings switches off");
    expect((await callHookline(words, { home, env: { HOME: home } })).out).not.toContain("HOOKLINE=0");
  }
});
