import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appKey } from "../../sdk/internal.ts";
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

test("install says why there are entries for events without a handler", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  mkdirSync(join(home, ".claude"));
  const file = join(home, ".claude/hooks.mjs");
  const app = (handlers: string) =>
    `import { createApp } from "hookline/sdk";\nexport default createApp()${handlers};\n`;
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"], HOOKLINE_CLIENT: "script" };
  const dryRun = async (...words: readonly string[]) => {
    const { out } = await callHookline(["install", "--scope", "user", "--dry-run", "--json", ...words], { home, env });
    return (JSON.parse(out) as { notes: readonly string[] }).notes;
  };
  const note = (events: string) => `The entries for ${events} start the daemon. The app has no handlers for them.`;
  writeFileSync(file, app(".onStop(() => undefined)"));
  expect(await dryRun("--transport", "client")).toEqual([note("SessionStart and UserPromptSubmit")]);
  expect(await dryRun("--transport", "run")).toEqual([]);
  writeFileSync(file, app(".onPrompt(() => undefined)"));
  expect(await dryRun("--transport", "client")).toEqual([note("SessionStart")]);
});

test("a wrong option of a recipe is reported at the user's call, with the option and the recipe", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  mkdirSync(join(home, ".claude"));
  writeFileSync(
    join(home, ".claude/guard.mjs"),
    `import { blueprint } from "hookline/sdk";
export const guard = ({ also = [], ...others } = {}) => blueprint("guard", others).onStop(() => also);
`,
  );
  const file = join(home, ".claude/hooks.mjs");
  writeFileSync(
    file,
    `import { createApp } from "hookline/sdk";
import { guard } from "./guard.mjs";

export default createApp().include(guard({ alos: [] }));
`,
  );
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
  const { status, err } = await callHookline(["install", "--scope", "user", "--dry-run"], { home, env });
  expect([status, err]).toEqual([
    1,
    `hookline: ${file}:4: The option "alos" of blueprint guard is unknown. Nothing was written.\n`,
  ]);
});

test("uninstall --purge names the log of all projects, removes the app's tasks and keeps another app's", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  mkdirSync(join(home, ".claude"));
  const file = join(home, ".claude/hooks.mjs");
  writeFileSync(
    file,
    `import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n`,
  );
  const state = join(home, "state");
  const env = { HOME: home, HOOKLINE_HOME: state, PATH: process.env["PATH"] };
  const hookline = (...words: readonly string[]) => callHookline(words, { home, env });
  const [own, other, log] = [join(state, "tasks", appKey(file)), join(state, "tasks/other"), join(state, "log")];
  const scope = ["--scope", "user"];
  expect((await hookline("install", ...scope, "--transport", "run")).status).toBe(0);
  for (const folder of [own, other, log]) mkdirSync(folder, { recursive: true });
  const left = () => [own, other, log].map((folder) => existsSync(folder));
  const wouldGo = (await hookline("uninstall", ...scope, "--purge", "--dry-run")).out;
  expect([wouldGo.includes(`would remove   ${own}\n`), left()]).toEqual([true, [true, true, true]]);
  const first = await hookline("uninstall", ...scope, "--purge");
  expect([first.out.includes(`removed   ${log} (of all projects)\n`), left()]).toEqual([true, [false, true, false]]);
});
