import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { callHookline } from "../../cli/fixtures/caller.ts";
import { dist } from "../../files/fixtures/programs.ts";
import type { HandledEvent } from "../../sdk/internal.ts";
import { guard, stop, type World, world } from "../fixtures/world.ts";
import { hookCommands } from "../plan/hook-command.ts";
import { planEntries } from "../plan/plan-entries.ts";

/** A guard that does what the command says, and refuses whatever else it is asked. */
const app = `import { execSync } from "node:child_process";
import { createApp, deny } from "hookline/sdk";
const eat = () => { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())); };
export default createApp().preTool("Bash", { onFailure: "block" }, ({ input: { command } }) => {
  if (command === "eat") eat();
  if (command === "die") execSync("kill -KILL " + process.pid);
  if (command === "abort") execSync("kill -ABRT " + process.pid);
  if (command !== "pass") return deny("the guard says no");
});
`;

interface Way {
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly packageRoot?: string;
  readonly node?: string;
}

const crashes: Readonly<Record<string, Way>> = {
  "runs out of memory": { command: "eat", env: { NODE_OPTIONS: "--max-old-space-size=40" } },
  "is killed": { command: "die" },
  aborts: { command: "abort" },
  "does not find the program": { packageRoot: "/nowhere/hookline" },
  "does not know an option": { env: { NODE_OPTIONS: "--no-such-option" } },
  "does not exist": { node: "/nowhere/node" },
};

function run(here: World, way: Way, shellForm: boolean, need: HandledEvent = guard) {
  const { command = "rm x", packageRoot = dirname(dist), node = process.execPath } = way;
  writeFileSync(here.hooksFile, app);
  const calls = hookCommands({ scope: "user", root: here.home, hooksFile: here.hooksFile, packageRoot, node });
  const options = { scope: "user", transport: "run", allEvents: false, cold: "there is no daemon", sh: true } as const;
  const [hook] = planEntries([need], { ...options, calls, shellForm })[0]?.group.hooks ?? [];
  if (hook?.type !== "command") throw new Error("no command");
  const payload = { hook_event_name: need.event, tool_name: "Bash", tool_input: { command }, cwd: here.project };
  const env = { PATH: process.env["PATH"], HOME: here.home, HOOKLINE_HOME: here.state, ...way.env };
  const [program, ...args] = shellForm ? ["sh", "-c", hook.command] : [hook.command, ...(hook.args ?? [])];
  const ended = spawnSync(program ?? "", args, { cwd: here.project, input: JSON.stringify(payload), env });
  return { status: ended.status, out: String(ended.stdout), err: String(ended.stderr) };
}

for (const [name, shellForm] of Object.entries({ "with args": false, "as a line for a shell": true })) {
  test.each(Object.entries(crashes))(`a guard that run calls ${name} refuses when Node %s, and says why`, (_, way) => {
    const { status, err } = run(world(), way, shellForm);
    expect([status, err]).toEqual([2, expect.stringMatching(/hookline: the hook's process ended with status \d+\n$/)]);
  });

  test(`a guard that run calls ${name} answers as usual when Node works`, () => {
    const here = world();
    expect(run(here, { command: "pass" }, shellForm)).toEqual({ status: 0, out: "", err: "" });
    const { status, out, err } = run(here, {}, shellForm);
    expect([status, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
}

test("an entry of run keeps Node's own status where every status refuses, where none can, and where a failure means continue", () => {
  const missing = { packageRoot: "/nowhere/hookline" };
  const needs: HandledEvent[] = [
    { ...guard, event: "WorktreeCreate", ids: ["WorktreeCreate"] },
    { ...stop, onFailure: "block" },
    { ...guard, onFailure: "continue" },
  ];
  expect(needs.map((need) => run(world(), missing, false, need).status)).toEqual([1, 1, 1]);
});

test("run without the rest of its package refuses under block, in an entry by hand too", () => {
  const bin = join(world().folder, "bin.cjs");
  copyFileSync(join(dist, "cli", "bin.cjs"), bin);
  const statuses = ["block", "continue"].map((mode) => {
    const ended = spawnSync(process.execPath, [bin, "run", "hooks.ts", "--on-failure", mode], { input: "{}" });
    expect(String(ended.stderr)).toMatch(/^hookline: cannot load program.cjs: /);
    return ended.status;
  });
  expect(statuses).toEqual([2, 1]);
});

const asWrittenBefore = (text: string) =>
  text.replace(
    /"command": "sh",\s*"args": \[\s*"-c",\s*"(?:[^"\\]|\\.)*",\s*"hookline",\s*("[^"]*"),/,
    '"command": $1, "args": [',
  );

test("status and doctor name a guard that lets the action pass when Node crashes, and the advised install cures it", async () => {
  const here = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: here.home, HOOKLINE_HOME: here.state };
  const hookline = (...words: string[]) => callHookline(words, { home: here.home, cwd: here.project, env });
  writeFileSync(here.hooksFile, app);
  await hookline("install", "--scope", "local", "--transport", "run");
  expect((await hookline("status")).status).toBe(0);
  const file = join(here.project, ".claude", "settings.local.json");
  const text = asWrittenBefore(readFileSync(file, "utf8"));
  expect(text).not.toContain('"sh"');
  writeFileSync(file, text);
  const status = await hookline("status");
  const advice =
    "The entries for PreToolUse say --on-failure block, but when Node itself crashes or cannot be started the action goes through. hookline install --scope local --transport run writes entries that refuse.";
  expect([status.status, status.out]).toEqual([3, expect.stringContaining(`open-on-crash: ${advice}`)]);
  expect((await hookline("doctor")).out).toContain(advice);
  await hookline("install", "--scope", "local", "--transport", "run");
  expect((await hookline("status")).status).toBe(0);
}, 60_000);

test("doctor --fix lets such an entry call the Node that is there, and it still refuses when that crashes", async () => {
  const here = world();
  const env = { PATH: process.env["PATH"] ?? "", HOME: here.home, HOOKLINE_HOME: here.state };
  const hookline = (...words: string[]) => callHookline(words, { home: here.home, cwd: here.project, env });
  writeFileSync(here.hooksFile, app);
  for (const form of [[], ["--shell-form"]]) {
    await hookline("install", "--scope", "local", "--transport", "run", ...form);
    const claude = join(here.project, ".claude");
    const file = join(claude, "settings.local.json");
    const installed = readFileSync(file, "utf8");
    const installs = join(here.state, "installs");
    const notes = readdirSync(installs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
    for (const path of [file, join(claude, ".hookline.local.lock"), ...notes.map((name) => join(installs, name))])
      writeFileSync(path, readFileSync(path, "utf8").replaceAll(process.execPath, "/nowhere/node"));
    expect((await hookline("doctor")).out).toContain("package-missing");
    await hookline("doctor", "--fix");
    expect(readFileSync(file, "utf8")).toBe(installed);
  }
}, 60_000);

test("where there is no sh, install and status say that a crash of Node lets the action pass", async () => {
  const here = world();
  const env = { PATH: "/nowhere", HOME: here.home, HOOKLINE_HOME: here.state };
  const hookline = (...words: string[]) => callHookline(words, { home: here.home, cwd: here.project, env });
  writeFileSync(here.hooksFile, app);
  const { out } = await hookline("install", "--scope", "local");
  expect(out).toContain("There is no sh in PATH, so PreToolUse lets the action pass when Node itself crashes");
  const status = await hookline("status");
  expect([status.status, status.out]).toEqual([0, expect.stringContaining("needs sh, and there is none in PATH")]);
}, 60_000);
