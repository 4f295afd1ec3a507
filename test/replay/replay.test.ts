import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../src/replay/index.ts";
import { type Machine, machine } from "./program.ts";

let world: Machine;
beforeAll(() => {
  world = machine();
});
afterAll(() => world.remove());

const app = (body: string, options = "") =>
  `import * as sdk from "hookline/sdk";\nconst app = sdk.createApp(${options});\n${body}\nexport default app;\n`;

const guard = app(`
app.preTool("Bash", { name: "no-touch" }, ({ input }: any) => /touch/.test(input.command) ? sdk.deny("No touching.") : undefined);
app.preTool("Bash", { name: "careful" }, ({ input }: any) => /^sleep/.test(input.command) ? sdk.ask("This waits.") : undefined);
app.preTool("Write", { name: "signed" }, ({ input }: any) => sdk.patchInput({ content: input.content + "signed" }));
app.onPrompt({ name: "no-please" }, ({ prompt }: any) => /forked/.test(prompt) ? sdk.block("No forks.") : undefined);
`);

async function replay(...words: string[]): Promise<Report> {
  const { stdout, stderr, code } = await world.hookline(["replay", ...words, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Report;
}

describe("the report over the recorded transcripts", () => {
  test("it says what was seen and what would have been refused, asked and changed", async () => {
    const file = world.file(".claude/hooks.ts", guard);
    const report = await replay("--all");
    expect({
      ...report,
      handlers: report.handlers.map(({ name, calls, outcomes }) => ({ name, calls, outcomes })),
    }).toEqual({
      hooks: file,
      files: 21,
      bytes: expect.any(Number),
      sessions: 15,
      toolCalls: 45,
      prompts: 31,
      repeated: 51,
      unreadableLines: 0,
      unread: [],
      events: [
        { event: "UserPromptSubmit", seen: 31, decisions: { none: 30, block: 1 }, ...unchanged },
        { event: "PreToolUse", seen: 45, decisions: { none: 43, ask: 1, deny: 1 }, ...unchanged, inputsChanged: 1 },
        { event: "PostToolUse", seen: 40, decisions: { none: 40 }, ...unchanged },
        { event: "PostToolUseFailure", seen: 2, decisions: { none: 2 }, ...unchanged },
      ],
      handlers: [
        { name: "no-please", calls: 31, outcomes: { passed: 30, answered: 1 } },
        { name: "no-touch", calls: 31, outcomes: { passed: 30, answered: 1 } },
        { name: "careful", calls: 31, outcomes: { passed: 29, answered: 1, "not-reached": 1 } },
        { name: "signed", calls: 1, outcomes: { answered: 1 } },
      ],
      listed: [
        place(
          "2026-11-15T06:36:57.234Z",
          "b37b4d9a-5866-4ba4-a605-def302147573",
          "touch made.txt && echo RAN",
          "deny",
          "No touching.",
        ),
        {
          at: "2026-11-15T06:45:03.130Z",
          session: "a8ca7ae6-2245-4889-a8b3-2c753f65fc30",
          event: "UserPromptSubmit",
          input: "forked prompt",
          decision: "block",
          reason: "No forks.",
        },
        place(
          "2026-11-15T06:45:27.596Z",
          "501a101c-7ecf-4bd9-a106-13be7d54c3a1",
          "sleep 3; echo waited",
          "ask",
          "This waits.",
        ),
      ],
      listedInAll: 3,
      refusedThen: 0,
      notReplayed: [],
      changes: [
        {
          at: "2026-11-15T06:44:23.820Z",
          session: "11111111-1111-4111-8111-111111111111",
          event: "PreToolUse",
          tool: "Write",
          input: "/home/dev/project/new.txt",
          before: { file_path: "/home/dev/project/new.txt", content: "n\n" },
          after: { file_path: "/home/dev/project/new.txt", content: "n\nsigned" },
        },
      ],
      changesInAll: 1,
      effects: [],
      tasks: [],
      failures: [],
      missing: [
        { part: "effort", events: 87 },
        { part: "duration_ms", events: 42 },
        { part: "permission_mode", events: 4 },
        { part: "tool_response (only its text)", events: 2 },
      ],
    });
    for (const { medianMs = 0, p95Ms = 0, maxMs = 0 } of report.handlers) {
      expect(medianMs <= p95Ms && p95Ms <= maxMs && maxMs > 0).toBe(true);
    }
  });

  test("people read it in lines that fit, with inputs as diffs", async () => {
    world.file(".claude/hooks.ts", guard);
    const { stdout, code } = await world.hookline(["replay", "--all"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "It would have denied 1 of 45 calls, asked about 1, changed the input of 1, blocked 1 of 31 prompts.",
    );
    expect(stdout).toContain("  + signed");
    expect(stdout).toMatch(
      /2026-11-15 06:36 {2}b37b4d9a {2}Bash {6}deny {4}touch made\.txt && echo RAN {2,}No touching\./,
    );
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test("a forked file repeats what it began with, and each call counts once; unreadable lines are counted", async () => {
    const file = world.file("plain.mjs", app(""));
    const folder = join(world.home, ".claude/projects/-home-dev-d-forked");
    const forked = await replay(file, "--project", "/home/dev/d-forked");
    expect([forked.toolCalls, forked.prompts, forked.sessions, forked.repeated]).toEqual([8, 3, 2, 18]);
    const torn = join(world.home, ".claude/projects/-home-dev-torn");
    mkdirSync(torn);
    const lines = readFileSync(join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), "utf8");
    writeFileSync(join(torn, "11111111-1111-4111-8111-111111111111.jsonl"), `${lines}{"torn\n[1]\n`);
    appendFileSync(join(torn, "11111111-1111-4111-8111-111111111111.jsonl"), `{"type":"user","mess`);
    const read = await replay(file, "--project", "/home/dev/torn");
    expect([read.toolCalls, read.prompts, read.unreadableLines >= 2]).toEqual([8, 2, true]);
  });
});

test("a file that cannot be read is named, and the others are replayed", async () => {
  const file = world.file("plain.mjs", app(""));
  const folder = join(world.home, ".claude/projects/-home-dev-hurt");
  mkdirSync(folder);
  const [damaged, cut] = ["0", "2"].map((digit) =>
    join(folder, `${digit}1111111-1111-4111-8111-111111111111.jsonl.gz`),
  );
  const recorded = join(world.home, ".claude/projects/-home-dev-a-plain/11111111-1111-4111-8111-111111111111.jsonl");
  writeFileSync(damaged ?? "", "no archive");
  writeFileSync(cut ?? "", gzipSync(readFileSync(recorded)).subarray(0, -200));
  writeFileSync(join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), readFileSync(recorded));
  const report = await replay(file, "--project", "/home/dev/hurt");
  expect([report.files, report.toolCalls, report.prompts]).toEqual([3, 7, 1]);
  expect(report.unread).toEqual([
    { file: damaged, why: expect.stringContaining("cannot be unpacked") },
    { file: cut, why: expect.stringContaining("the archive is cut off") },
  ]);
  const { stdout } = await world.hookline(["replay", file, "--project", "/home/dev/hurt"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(`not replayed: ${damaged} cannot be unpacked`);
});

const unchanged = { inputsChanged: 0, outputsChanged: 0, contexts: 0 };
const place = (at: string, session: string, input: string, decision: string, reason: string) => ({
  at,
  session,
  event: "PreToolUse",
  tool: "Bash",
  input,
  decision,
  reason,
});

describe("which of the past", () => {
  test("by tool, event, time and project", async () => {
    const file = world.file("which.mjs", app(""));
    const seen = async (...words: string[]) =>
      (await replay(file, ...words)).events.map(({ event, seen }) => `${event} ${seen}`);
    expect(await seen("--all", "--since", "2026-11-15T06:50Z", "--tool", "B*h", "--event", "PreToolUse")).toEqual([
      "PreToolUse 6",
    ]);
    expect(await seen("--project", "/home/dev/b-subagent", "--event", "PreToolUse")).toEqual(["PreToolUse 6"]);
    expect(await seen()).toEqual([]);
  });

  test("a call that cannot be made is 1, with the way out", async () => {
    world.file("broken.ts", "export default 1 +;");
    world.file("none.mjs", "export default {};");
    const says = async (...words: string[]) => {
      const { code, stdout, stderr } = await world.hookline(["replay", ...words]);
      return [code, stdout, stderr];
    };
    const file = world.file("fine.mjs", app(""));
    expect(await says("gone.ts")).toEqual([1, "", expect.stringContaining("There is no gone.ts")]);
    expect(await says("broken.ts")).toEqual([1, "", expect.stringContaining("broken.ts:1")]);
    expect(await says("none.mjs")).toEqual([1, "", expect.stringContaining("exports no app")]);
    expect(await says(file, "--event", "PreTool")).toEqual([
      1,
      "",
      expect.stringContaining("Did you mean PreToolUse?"),
    ]);
    expect(await says(file, "--fail-on", "no")).toEqual([1, "", expect.stringContaining("deny, ask, change")]);
    expect(await says(file, "--since", "soon")).toEqual([1, "", expect.stringContaining("is no time")]);
    expect(await says(file, "--all", "--project", ".")).toEqual([
      1,
      "",
      expect.stringContaining("Leave one of them out"),
    ]);
    expect(await says(file, "--against", "git:HEAD")).toEqual([1, "", expect.stringContaining("not a git repository")]);
  });

  test("--fail-on ends with 3 when it finds something, else with 0", async () => {
    const file = world.file("fails.ts", guard);
    const ends = async (...words: string[]) => (await world.hookline(["replay", file, "--all", ...words])).code;
    expect(await ends("--fail-on", "deny")).toBe(3);
    expect(await ends("--fail-on", "deny", "--tool", "Read")).toBe(0);
    expect(await ends("--fail-on", "change", "--tool", "Write")).toBe(3);
    expect(await ends("--fail-on", "change", "--tool", "Bash")).toBe(0);
  });
});

describe("--against", () => {
  test("only calls that another app answers differently are listed, both answers side by side", async () => {
    const now = world.file("now.ts", guard);
    const before = world.file("before.ts", guard.replace("This waits.", "It sleeps.").replace("/touch/", "/tuch/"));
    const report = await replay(now, "--all", "--against", before);
    expect(report.against).toEqual({
      hooks: before,
      differing: 2,
      decisions: { ask: 1, deny: 1 },
      list: [
        {
          ...where("2026-11-15T06:36:57.234Z", "b37b4d9a-5866-4ba4-a605-def302147573", "touch made.txt && echo RAN"),
          now: { decision: "deny", reason: "No touching." },
          before: { decision: "none" },
        },
        {
          ...where("2026-11-15T06:45:27.596Z", "501a101c-7ecf-4bd9-a106-13be7d54c3a1", "sleep 3; echo waited"),
          now: { decision: "ask", reason: "This waits." },
          before: { decision: "ask", reason: "It sleeps." },
        },
      ],
    });
    expect((await world.hookline(["replay", now, "--all", "--against", now, "--fail-on", "change"])).code).toBe(0);
    expect((await world.hookline(["replay", now, "--all", "--against", before, "--fail-on", "change"])).code).toBe(3);
  });

  test("git:REF is the file as that commit has it, with what it imported then", async () => {
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
        cwd: world.project,
        env: { PATH: process.env["PATH"], HOME: world.home },
      });
    world.file("lib/words.ts", `export const word: string = "then";\n`);
    const file = world.file(
      "hooks/committed.ts",
      app(`import { word } from "../lib/words.ts";\napp.preTool("Read", () => sdk.ask(word));`),
    );
    git("init", "-q");
    git("add", "lib", "hooks");
    git("commit", "-q", "-m", "then");
    world.file("lib/words.ts", `export const word: string = "now";\n`);
    const report = await replay(file, "--all", "--against", "git:HEAD", "--limit", "1");
    expect([
      report.against?.differing,
      report.against?.list.map(({ now, before }) => [now.reason, before.reason]),
    ]).toEqual([report.events.find(({ event }) => event === "PreToolUse")?.decisions.ask, [["now", "then"]]]);
    // As in a pre-commit hook of a worktree.
    const inHook = await world.hookline(["replay", file, "--all", "--against", "git:HEAD"], {
      GIT_DIR: join(world.project, ".git"),
    });
    expect([inHook.code, inHook.stderr]).toEqual([0, ""]);
    const { code, stderr } = await world.hookline(["replay", file, "--against", "git:nowhere"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('"nowhere" is no commit of')]);
    const absent = await world.hookline(["replay", file, "--against", "/nowhere.ts"]);
    expect([absent.code, absent.stderr]).toEqual([
      1,
      "hookline: There is no file /nowhere.ts to compare with (ENOENT). --against takes git:REF or a file.\n",
    ]);
  });
});

const where = (at: string, session: string, input: string) => ({
  at,
  session,
  event: "PreToolUse",
  tool: "Bash",
  input,
});

describe("nothing is executed", () => {
  test("a handler that writes a file, spawns a process and opens a socket leaves no trace", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const { port } = server.address() as { port: number };
    const trace = JSON.stringify(join(world.project, "trace"));
    const file = world.file(
      "tries.mjs",
      app(`
import fs, { writeFileSync } from "node:fs";
import { spawnSync, exec } from "node:child_process";
import net from "node:net";
import http from "node:http";
app.preTool({ name: "throws" }, () => writeFileSync(${trace} + 1, "x"));
app.preTool({ name: "swallows" }, async () => {
  const tries = [
    () => fs.promises.writeFile(${trace} + 2, "x"),
    () => fs.mkdirSync(${trace} + 3),
    () => new Promise((done) => fs.createWriteStream(${trace} + 4).on("error", done).on("open", done)),
    () => fs.rmSync(${JSON.stringify(world.project)}, { recursive: true }),
    () => spawnSync("touch", [${trace} + 5]),
    () => new Promise((done) => exec("touch " + ${trace} + 6, done)),
    () => new Promise((done) => net.connect(${port}, "127.0.0.1").on("error", done).on("connect", done)),
    () => new Promise((done) => http.get("http://127.0.0.1:${port}").on("error", done)),
    () => fetch("http://127.0.0.1:${port}"),
    () => process.kill(${process.pid}, "SIGTERM"),
  ];
  for (const attempt of tries) try { await attempt(); } catch {}
});
app.onPrompt({ name: "remembers" }, async (event, { state, replay }) => {
  await state.user.update("seen", (seen = 0) => seen + 1);
  await state.set("replayed", replay);
  if ((await state.user.get("seen")) === 31) return sdk.context("31 of them");
});`),
    );
    const before = world.files();
    const report = await replay(file, "--all");
    expect(world.files().filter((name) => !before.includes(name) && !/^state($|\/builds)/.test(name))).toEqual([]);
    expect(connections).toBe(0);
    await new Promise((closed) => server.close(closed));
    const tried = report.effects.map(
      ({ handler, kind, target }) => `${handler} ${kind} ${target.replace(world.project, "")}`,
    );
    expect(tried).toEqual([
      "throws write /trace1",
      "swallows write /trace2",
      "swallows write /trace3",
      "swallows write /trace4",
      "swallows write ",
      "swallows process touch",
      `swallows process touch ${world.project}/trace6`.replace(world.project, ""),
      `swallows network 127.0.0.1:${port}`,
      `swallows network http://127.0.0.1:${port}`,
      `swallows signal SIGTERM to ${process.pid}`,
    ]);
    expect(report.handlers.map(({ name, outcomes }) => ({ name, outcomes }))).toEqual([
      { name: "remembers", outcomes: { passed: 30, answered: 1 } },
      { name: "throws", outcomes: { "effect-refused": 45 } },
      { name: "swallows", outcomes: { "effect-refused": 45 } },
    ]);
  });

  test("a guard that fails only because of the replay is no refusal", async () => {
    const file = world.file(
      "blocks.mjs",
      app(`import fs from "node:fs"; app.preTool({ onFailure: "block" }, () => fs.writeFileSync("/x", ""));`),
    );
    const report = await replay(file, "--all", "--event", "PreToolUse");
    expect(report.events).toEqual([
      { event: "PreToolUse", seen: 45, decisions: { "effect-refused": 45 }, ...unchanged },
    ]);
    expect((await world.hookline(["replay", file, "--all", "--fail-on", "deny"])).code).toBe(0);
  });

  test("state is a copy, tasks are noted, git is unavailable", async () => {
    const file = world.file(
      "parts.mjs",
      app(
        `
const mail = app.task("mail", () => { throw new Error("ran"); });
app.onPrompt({ name: "all" }, async (event, { state, tasks, git, path }) => {
  await tasks.add(mail, {});
  const branch = await git.branch().catch((error) => error.code);
  return sdk.context([await state.user.get("kept"), await tasks.pop(mail), branch, path("a")].join(" "));
});`,
        `{ stateDir: ${JSON.stringify(join(world.project, "kept"))} }`,
      ),
    );
    const kept = world.file("kept/user/user.json", `{"kept":{"value":"copied"}}\n`);
    const words = ["--project", "/home/dev/a-plain", "--against", world.file("silent.mjs", app(""))];
    const inside = { CLAUDE_PROJECT_DIR: world.project };
    const { stdout } = await world.hookline(["replay", file, ...words, "--json"], inside);
    const report = JSON.parse(stdout) as Report;
    expect(report.against?.list.map(({ now }) => now.contexts)).toEqual([
      ["copied  sdk/unavailable /home/dev/project/a"],
    ]);
    expect(report.tasks).toEqual([{ name: "mail", count: 1 }]);
    expect(readFileSync(kept, "utf8")).toBe(`{"kept":{"value":"copied"}}\n`);
  });

  test("--allow-effects lifts it", async () => {
    const trace = join(world.project, "allowed");
    const file = world.file(
      "allowed.mjs",
      app(`import fs from "node:fs"; app.onPrompt(() => fs.writeFileSync(${JSON.stringify(trace)}, "x"));`),
    );
    await replay(file, "--project", "/home/dev/a-plain");
    expect(existsSync(trace)).toBe(false);
    await replay(file, "--project", "/home/dev/a-plain", "--allow-effects");
    expect(existsSync(trace)).toBe(true);
  });

  test("an app with effects when it is loaded is told so", async () => {
    const trace = join(world.project, "at-load");
    world.file("at-load.mjs", app(`import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(trace)}, "x");`));
    const { code, stderr } = await world.hookline(["replay", "at-load.mjs", "--all"]);
    expect([code, stderr, existsSync(trace)]).toEqual([1, expect.stringContaining("--allow-effects lets it"), false]);
  });
});

describe("apps that misbehave", () => {
  test("one that ends its process, prints to stdout and leaves errors behind is reported, and the rest goes on", async () => {
    const file = world.file(
      "ends.mjs",
      app(`
import fs from "node:fs";
app.preTool("Bash", { name: "ends" }, ({ input }) => {
  if (/^touch/.test(input.command)) process.reallyExit(7);
  if (/^sleep/.test(input.command)) setTimeout(() => { throw new Error("late"); });
  fs.writeSync(1, "noise\\n{}\\n");
  console.log("print");
  return new Promise((done) => setTimeout(() => done(sdk.ask("hm")), 5));
});`),
    );
    const report = await replay(file, "--all", "--event", "PreToolUse", "--tool", "Bash");
    expect(report.events).toEqual([{ event: "PreToolUse", seen: 31, decisions: { ask: 30, none: 1 }, ...unchanged }]);
    expect(report.failures).toEqual([
      { handler: "ends", error: "left an error behind: late", count: 1 },
      { handler: "ends", error: expect.stringMatching(/^process\.reallyExit\(7\) was called; /), count: 1 },
    ]);
  });

  test("one that holds the thread is ended behind its deadline", async () => {
    const file = world.file(
      "holds.mjs",
      app(`app.onPrompt(({ prompt }) => { while (/forked/.test(prompt)); });`, "{ timeoutMs: 200 }"),
    );
    const report = await replay(file, "--project", "/home/dev/d-forked", "--event", "UserPromptSubmit");
    expect(report.failures).toEqual([
      { handler: "(the app)", error: "ended the process: no answer within 3 s", count: 1 },
    ]);
    expect(report.prompts).toBe(3);
  });
});

test("the report names handlers that are not replayed, and which refused calls had been refused then", async () => {
  world.file(
    ".claude/hooks.ts",
    app(`app.preTool({ name: "no" }, () => sdk.deny("No."));
app.onStop({ name: "tests-on-stop" }, () => undefined);
app.onSessionStart(() => undefined);`),
  );
  const report = await replay("--all", "--event", "PreToolUse");
  expect(report.notReplayed).toEqual([
    { event: "Stop", name: "tests-on-stop" },
    { event: "SessionStart", name: "SessionStart#1" },
  ]);
  const then = report.listed.filter(({ refusedThen }) => refusedThen === true);
  expect([report.listed.length, then.length]).toEqual([45, report.refusedThen]);
  expect(report.refusedThen).toBeGreaterThan(0);
  const times = report.listed.map(({ at }) => at ?? "");
  expect(times).toEqual([...times].sort());
});
