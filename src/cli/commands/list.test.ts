import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../../install/fixtures/world.ts";
import { callHookline } from "../fixtures/caller.ts";

test("list warns of a permission rule that covers no call, in text and as JSON", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  writeFileSync(join(project, ".claude/settings.json"), '{"permissions":{"deny":["bash(rm *)"]}}');
  const [text, json] = [
    await callHookline(["list"], { home, cwd: project, env }),
    await callHookline(["list", "--json"], { home, cwd: project, env }),
  ];
  expect([text.status, text.out]).toEqual([0, expect.stringContaining('rule-invalid: "bash(rm *)" in ')]);
  const { warnings } = JSON.parse(json.out) as { warnings: readonly { code: string }[] };
  expect(warnings.map(({ code }) => code)).toEqual(["rule-invalid"]);
});

test("what settings of a checkout say reaches no terminal as a control sequence, and cannot look like a line of list or explain", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const text = "Bash\n    trusted user, /etc\u001b[31m";
  const hook = { type: "command", command: `echo ${text}`, if: `Bash(${text})` };
  const settings = { hooks: { PreToolUse: [{ matcher: text, hooks: [hook] }] } };
  writeFileSync(join(project, ".claude/settings.json"), JSON.stringify(settings));
  const input = JSON.stringify({ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" });
  for (const words of [
    ["list"],
    ["explain", "PreToolUse", "--input", input],
    ["fire", "PreToolUse", "--input", input],
  ]) {
    const { out } = await callHookline(words, { home, cwd: project, env });
    expect([words[0], out]).toEqual([words[0], expect.stringContaining("trusted user")]);
    expect([words[0], out]).toEqual([words[0], expect.not.stringMatching(/\u001b|^\s*trusted user/m)]);
  }
});

test("a missing --plugin-dir, and --tool for an event without a tool, are refused with exit 1", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  for (const [words, why] of [
    [["list", "--plugin-dir", "gone"], `--plugin-dir: ${join(project, "gone")} is not a directory.`],
    [["agent", "-p", "x", "--plugin-dir", "gone"], "is not a directory."],
    [["explain", "Stop", "--tool", "Bash"], "Stop is not a tool event. Omit --tool."],
  ] as const) {
    const { status, err } = await callHookline([...words], { home, cwd: project, env });
    expect([status, err]).toEqual([1, expect.stringContaining(why)]);
  }
});

test("a guard that changed since its approval is listed with the effect: it denies until it is approved", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const put = (command: string, fields: object) => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command, ...fields }] }] };
    writeFileSync(join(project, ".claude/settings.json"), JSON.stringify({ hooks }));
  };
  const states = [];
  for (const fields of [{}, { onFailure: "block" }]) {
    writeFileSync(join(project, "guard.sh"), "");
    put("sh guard.sh", fields);
    await callHookline(["trust", "--yes"], { home, cwd: project, env });
    writeFileSync(join(project, "guard.sh"), "exit 0");
    const { out } = await callHookline(["list"], { home, cwd: project, env });
    states.push(out.split("\n")[2]?.split(" project,")[0]?.trim());
  }
  expect(states).toEqual(["changed since trusted", "changed since trusted; denies until approved"]);
});

test("an entry that cannot be used is listed as such, explained and skipped, and doctor reports it", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "comand\u001b[31m", command: "exit 2" }] }] };
  writeFileSync(join(project, "own.json"), JSON.stringify({ hooks }));
  const input = JSON.stringify({ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" });
  const why = 'cannot be used: type is unknown: "comand';
  for (const [words, shown] of [
    [["list"], "[Bash]  exit 2\n    cannot be used flag, "],
    [["explain", "PreToolUse", "--input", input], `  unsupported exit 2\n              ${why}`],
    [["fire", "PreToolUse", "--input", input], `  skipped  exit 2  unsupported: ${why}`],
    [["doctor"], "error    hook-invalid: hooks.PreToolUse[0].hooks[0].type in "],
  ] as const) {
    const { out } = await callHookline([...words, "--settings", "own.json"], { home, cwd: project, env });
    expect([words[0], out]).toEqual([words[0], expect.stringContaining(shown)]);
    expect([words[0], out]).toEqual([words[0], expect.not.stringContaining("\u001b")]);
  }
});

test("a hook that its event does not take is listed as never running", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const hooks = { Notification: [{ hooks: [{ type: "prompt", prompt: "Is it fine?" }] }] };
  writeFileSync(join(project, "own.json"), JSON.stringify({ hooks }));
  const { out } = await callHookline(["list", "--settings", "own.json"], { home, cwd: project, env });
  expect(out).toContain("prompt  Is it fine?\n    never runs flag, ");
});

test("where a settings file cannot be read, list and explain begin with that, and doctor counts one problem", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/settings.json"), '{"hooks": {');
  for (const words of [["list"], ["explain", "Stop"]]) {
    const { out } = await callHookline(words, { home, cwd: project, env });
    expect(out.split("\n")[0]).toBe("A settings file cannot be read, so its hooks are not known.");
  }
  const { out } = await callHookline(["doctor"], { home, cwd: project, env });
  expect(out).toMatch(/^1 problem\.$/m);
});

test("explain shows a guard that is not started as one that denies", async () => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const hook = { type: "command", command: "", onFailure: "block" };
  mkdirSync(join(home, ".claude"));
  writeFileSync(
    join(home, ".claude/settings.json"),
    JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }),
  );
  const { out } = await callHookline(["explain", "UserPromptSubmit"], { home, cwd: project, env });
  expect(out).toMatch(/^ {2}denies {6}command on UserPromptSubmit\n.*it is not started and denies/m);
});

test.each([
  ["list"],
  ["fire", "Stop"],
  ["explain", "Stop"],
  ["doctor"],
  ["check", "Bash", "--input", '{"command":"ls"}'],
  ["agent", "hi", "--model", "script:none.json"],
  ["ask", "hi"],
])("%s names --cwd when it is not a directory", async (...words) => {
  const { home, state, project } = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state };
  const { status, err } = await callHookline([...words, "--cwd", "missing"], { home, cwd: project, env });
  expect([status, err]).toEqual([1, `hookline: --cwd: ${join(project, "missing")} is not a directory.\n`]);
});
