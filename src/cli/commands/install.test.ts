import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

test.each([
  ["as installed", (text: string) => text],
  ["edited by hand", (text: string) => text.replace(/"timeout": \d+/, '"timeout": 77')],
])(
  "uninstall revokes the approvals of its entries, and a hook that is added later does not deny for them: %s",
  async (_, edit) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
    const cwd = join(home, "project");
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    writeFileSync(
      join(cwd, ".claude/hooks.mjs"),
      `import { createApp } from "hookline/sdk";
export default createApp().preTool("Write", { onFailure: "block" }, () => undefined);
`,
    );
    const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
    const hookline = (...words: readonly string[]) => callHookline(words, { home, env, cwd });
    const settings = (command: string) =>
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] } });
    writeFileSync(join(cwd, ".claude/settings.json"), settings("exit 0"));
    expect((await hookline("trust", "--yes")).status).toBe(0);
    expect((await hookline("install", "--scope", "local", "--transport", "run")).status).toBe(0);
    const local = join(cwd, ".claude/settings.local.json");
    writeFileSync(local, edit(readFileSync(local, "utf8")));
    expect((await hookline("uninstall")).status).toBe(0);
    writeFileSync(local, settings("exit 1"));
    const call = JSON.stringify({ tool_name: "Write", tool_input: { file_path: "a", content: "" }, tool_use_id: "t" });
    const fired = await hookline("fire", "PreToolUse", "--input", call, "--json");
    expect(JSON.parse(fired.out)).toMatchObject({ decision: "none", runs: [] });
    const { entries } = JSON.parse((await hookline("trust", "--show", "--json")).out) as {
      entries: readonly { readonly state: string }[];
    };
    expect(entries.map(({ state }) => state)).toEqual(["trusted", "new"]);
  },
);

test("installing an app with fewer handlers revokes the approval of the entry that it removes, and only that one", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
  const hookline = (...words: readonly string[]) => callHookline(words, { home, env, cwd });
  const install = async (handlers: string) => {
    const app = `import { createApp } from "hookline/sdk";\nexport default createApp()${handlers};\n`;
    writeFileSync(join(cwd, ".claude/hooks.mjs"), app);
    expect((await hookline("install", "--scope", "local", "--transport", "run")).status).toBe(0);
  };
  await install(`.preTool("Write", { onFailure: "block" }, () => undefined).onStop(() => undefined)`);
  const local = join(cwd, ".claude/settings.local.json");
  const whole = readFileSync(local, "utf8");
  await install(".onStop(() => undefined)");
  writeFileSync(local, whole);
  const { entries } = JSON.parse((await hookline("trust", "--show", "--json")).out) as {
    entries: readonly { readonly event: string; readonly state: string }[];
  };
  expect(entries.map(({ event, state }) => [event, state])).toEqual([
    ["PreToolUse", "new"],
    ["Stop", "trusted"],
  ]);
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
  expect(await hookline("status")).toMatchObject({
    status: 3,
    out: expect.stringMatching(/^user {2}installed, 2 problems\n/),
  });
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
  writeFileSync(
    join(home, ".claude/hooks.mjs"),
    `import { createApp } from "hookline/sdk";\nexport default createApp().preTool(["Bash", "Gerp", "Edit"], () => undefined);\n`,
  );
  const { out } = await hookline("status");
  expect(out).toContain('never-runs: A handler of PreToolUse for "Gerp" never runs. Did you mean "Grep"?\n');
  expect(out.match(/handler-added: .*$/gm)).toEqual([expect.stringContaining("PreToolUse:Edit was added")]);
  expect((await hookline("doctor")).out).toMatch(
    /^note {5}code-changed: The code has changed .* hookline test reports/m,
  );
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
  const note = (entries: string) => `The ${entries} the daemon.`;
  writeFileSync(file, app(".onStop(() => undefined)"));
  expect(await dryRun("--transport", "client")).toEqual([
    note("entries for SessionStart and UserPromptSubmit only start"),
  ]);
  expect(await dryRun("--transport", "run")).toEqual([]);
  writeFileSync(file, app(".onPrompt(() => undefined)"));
  expect(await dryRun("--transport", "client")).toEqual([note("entry for SessionStart only starts")]);
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
    `hookline: ${file}:4: guard has no option "alos". It has none. Nothing was written.\n`,
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

/** A project with an app in local scope, and an empty subdirectory. */
function subdirectory() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "install-")));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  const sub = join(project, "sub");
  for (const one of [home, sub, join(project, ".claude")]) mkdirSync(one, { recursive: true });
  writeFileSync(
    join(project, ".claude/hooks.mjs"),
    `import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n`,
  );
  const env = { HOME: home, HOOKLINE_HOME: join(home, "state"), PATH: process.env["PATH"] };
  const hookline = (words: readonly string[], cwd: string) => callHookline(words, { home, env, cwd });
  return { home, project, sub, settings: join(project, ".claude/settings.local.json"), hookline };
}

const reporting = [["status"], ["doctor"], ["list"], ["fire", "Stop"], ["explain", "Stop"]];

test("in a subdirectory status, doctor, list, fire and explain say that the hooks of the parent do not apply there", async () => {
  const { project, sub, settings, hookline } = subdirectory();
  expect((await hookline(["install", "--scope", "local", "--transport", "run"], project)).status).toBe(0);
  const claim = `The hooks in ${settings} do not apply in ${sub}:`;
  for (const words of reporting) {
    const answer = async (cwd: string) => {
      const { status, out } = await hookline(words, cwd);
      return [words, out.includes(claim), status];
    };
    expect(await answer(sub)).toEqual([words, true, words[0] === "doctor" ? 3 : 0]);
    expect(await answer(project)).toEqual([words, false, 0]);
  }
});

test("they also report it in a subdirectory that is a project of its own, but not for the user's settings or a given file", async () => {
  const { home, project, sub, settings, hookline } = subdirectory();
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  writeFileSync(settings, JSON.stringify({ hooks }));
  mkdirSync(join(home, ".claude/sub"), { recursive: true });
  writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ hooks }));
  const claim = `parent-settings: The hooks in ${settings} do not apply in`;
  for (const own of ["package.json", ".git", ".claude"]) {
    const folder = join(sub, own.slice(1), "deeper");
    mkdirSync(join(folder, own), { recursive: true });
    for (const words of reporting) expect((await hookline(words, folder)).out).toContain(`${claim} ${folder}:`);
  }
  const { warnings } = JSON.parse((await hookline(["status", "--json"], sub)).out) as { warnings: readonly object[] };
  expect(warnings).toMatchObject([{ code: "parent-settings", place: settings }]);
  for (const words of reporting)
    expect((await hookline(words, join(home, ".claude/sub"))).out).not.toContain("parent-settings");
  symlinkSync(join(project, ".claude"), join(sub, ".claude"));
  for (const words of reporting) expect((await hookline(words, sub)).out).not.toContain("parent-settings");
  rmSync(join(sub, ".claude"));
  const link = join(home, "link");
  symlinkSync(sub, link);
  for (const words of reporting)
    expect((await hookline([...words, "--cwd", link], home)).out).toContain(`${claim} ${sub}:`);
  for (const words of reporting.slice(1))
    expect((await hookline([...words, "--settings", settings], sub)).out).not.toContain("parent-settings");
});

test("they do not report a parent whose hooks are the same as those of the current directory, or that has none", async () => {
  const { project, settings, hookline } = subdirectory();
  const worktree = join(project, ".claude/worktrees/x");
  const own = join(worktree, ".claude/settings.local.json");
  mkdirSync(join(worktree, ".claude"), { recursive: true });
  const put = (file: string, ...commands: readonly string[]) => {
    const hooks = { Stop: [{ hooks: commands.map((command) => ({ type: "command", command })) }], PreToolUse: [] };
    writeFileSync(file, JSON.stringify({ hooks }));
  };
  const isReported = async () =>
    Promise.all(reporting.map(async (words) => (await hookline(words, worktree)).out.includes("parent-settings")));
  put(settings, "true");
  put(own, "true");
  expect(await isReported()).toEqual(reporting.map(() => false));
  put(own, "false");
  expect(await isReported()).toEqual(reporting.map(() => true));
  put(settings);
  expect(await isReported()).toEqual(reporting.map(() => false));
});

test.each(["Hooks", "PreToolUse"])(
  "they report hooks of the parent under %s, where no agent reads them",
  async (key) => {
    const { sub, settings, hookline } = subdirectory();
    const groups = [{ hooks: [{ type: "command", command: "true" }] }];
    writeFileSync(settings, JSON.stringify({ [key]: key === "Hooks" ? { PreToolUse: groups } : groups }));
    for (const words of reporting)
      expect((await hookline(words, sub)).out).toContain(`The hooks in ${settings} do not apply in ${sub}:`);
  },
);

test.each([
  ["not valid JSON", (file: string) => writeFileSync(file, "{ hooks")],
  ["a pipe", (file: string) => execFileSync("mkfifo", [file])],
  ["a directory", (file: string) => mkdirSync(file)],
  ["a circular link", (file: string) => symlinkSync(file, file)],
  ["empty", (file: string) => writeFileSync(file, "")],
])("in a subdirectory they report settings of the parent that are %s", async (_, put) => {
  const { sub, settings, hookline } = subdirectory();
  put(settings);
  for (const words of [...reporting, ["status", "--json"]]) {
    const { out } = await hookline(words, sub);
    expect(out).toContain(`${settings} cannot be read: `);
    expect([words, out]).toEqual([words, expect.stringContaining(`If it has hooks, they do not apply in ${sub}:`)]);
  }
  const { status, out } = await hookline(["status", "--json"], sub);
  const local = { scope: "local", drift: [expect.objectContaining({ message: expect.stringContaining(settings) })] };
  expect([status, JSON.parse(out)]).toMatchObject([3, { scopes: [{}, local, {}], warnings: [{ place: settings }] }]);
});
