import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

test("install names a handler that can never match, as text and with --json", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  mkdirSync(join(home, ".claude"));
  writeFileSync(
    join(home, ".claude/hooks.mjs"),
    `import { createApp } from "hookline/sdk";
export default createApp().preTool("bash", () => undefined).onSessionStart("resumed", () => undefined);
`,
  );
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
  const words = ["install", "--scope", "user", "--transport", "run", "--dry-run"];
  const sentences = [
    'A handler of PreToolUse for "bash" never runs. Did you mean "Bash"?',
    'A handler of SessionStart for "resumed" never runs. Did you mean "resume"?',
  ];
  const { status, out } = await callHookline(words, { home, env });
  expect([status, ...sentences.map((sentence) => out.includes(`warning  ${sentence}\n`))]).toEqual([0, true, true]);
  const { warnings } = JSON.parse((await callHookline([...words, "--json"], { home, env })).out) as object as {
    warnings: unknown;
  };
  expect(warnings).toEqual(sentences);
});

test("status advises to uninstall an app whose last handler was removed, and that works", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  mkdirSync(join(home, ".claude"));
  const file = join(home, ".claude/hooks.mjs");
  const app = (handlers: string) =>
    `import { createApp } from "hookline/sdk";\nexport default createApp()${handlers};\n`;
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
  const hookline = (...words: readonly string[]) => callHookline(words, { home, env });
  writeFileSync(file, app(".onStop(() => undefined)"));
  expect((await hookline("install", "--scope", "user", "--transport", "run")).status).toBe(0);
  writeFileSync(file, app(""));
  const advice = "The handler for Stop was removed; hookline uninstall --scope user removes its entry.";
  const { status, out } = await hookline("status");
  expect([status, out]).toEqual([3, expect.stringContaining(`handler-removed: ${advice}\n`)]);
  expect((await hookline("uninstall", "--scope", "user")).status).toBe(0);
  expect((await hookline("status")).status).toBe(4);
});

test("status, doctor and explain report a handler for a tool that does not exist, as install does", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  mkdirSync(join(home, ".claude"));
  writeFileSync(
    join(home, ".claude/hooks.mjs"),
    `import { createApp } from "hookline/sdk";
export default createApp().preTool("Bsh", () => undefined).preTool(["Bash", "Edti"], () => undefined);
`,
  );
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
  const hookline = (...words: readonly string[]) => callHookline(words, { home, env });
  const sentences = [
    'A handler of PreToolUse for "Bsh" never runs. Did you mean "Bash"?',
    'A handler of PreToolUse for "Edti" never runs. Did you mean "Edit"?',
  ];
  const installed = await hookline("install", "--scope", "user", "--transport", "run");
  expect(sentences.map((sentence) => installed.out.includes(`warning  ${sentence}\n`))).toEqual([true, true]);
  const status = JSON.parse((await hookline("status", "--json")).out) as { scopes: { drift: unknown[] }[] };
  const drift = sentences.map((message) => ({ kind: "never-runs", message }));
  expect(status.scopes.flatMap((scope) => scope.drift)).toEqual(drift);
  expect((await hookline("status")).status).toBe(3);
  const doctor = JSON.parse((await hookline("doctor", "--json")).out) as { findings: { code: string }[] };
  expect(doctor.findings.filter(({ code }) => code === "never-runs")).toEqual(
    sentences.map((message) => expect.objectContaining({ level: "warning", message })),
  );
  const explained = await hookline("explain", "PreToolUse", "--tool", "Bash");
  expect(sentences.map((sentence) => explained.out.includes(`warning never-runs: ${sentence}\n`))).toEqual([
    true,
    true,
  ]);
  expect((await hookline("explain", "Stop")).out).not.toContain("never-runs");
});
