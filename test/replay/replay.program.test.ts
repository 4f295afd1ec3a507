import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { app } from "../sdk/guard-app.ts";
import { guard, type Machine, machine, unchanged } from "./program.ts";

let world: Machine;
beforeAll(() => {
  world = machine();
});
afterAll(() => world.remove());

const where = (at: string, session: string, input: string) => ({
  at,
  session,
  event: "PreToolUse",
  tool: "Bash",
  input,
});

describe("the report over the recorded transcripts", () => {
  test("a call that a forked transcript repeats counts once, and unreadable lines are counted", async () => {
    const file = world.file("plain.mjs", app(""));
    const folder = join(world.home, ".claude/projects/-home-dev-d-forked");
    const forked = await world.replay(file, "--project", "/home/dev/d-forked");
    expect([forked.toolCalls, forked.prompts, forked.sessions, forked.repeated]).toEqual([8, 3, 2, 18]);
    const torn = join(world.home, ".claude/projects/-home-dev-torn");
    mkdirSync(torn);
    const lines = readFileSync(join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), "utf8");
    writeFileSync(join(torn, "11111111-1111-4111-8111-111111111111.jsonl"), `${lines}{"torn\n[1]\n`);
    appendFileSync(join(torn, "11111111-1111-4111-8111-111111111111.jsonl"), `{"type":"user","mess`);
    const read = await world.replay(file, "--project", "/home/dev/torn");
    expect([read.toolCalls, read.prompts, read.unreadableLines >= 2]).toEqual([8, 2, true]);
  });
});

test("a transcript that cannot be read is reported, and the others are replayed", async () => {
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
  const report = await world.replay(file, "--project", "/home/dev/hurt");
  expect([report.files, report.toolCalls, report.prompts]).toEqual([3, 7, 1]);
  expect(report.unread).toEqual([
    { file: damaged, why: expect.stringContaining("cannot be unpacked") },
    { file: cut, why: expect.stringContaining("the archive is cut off") },
  ]);
  const { stdout } = await world.hookline(["replay", file, "--project", "/home/dev/hurt"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(`not replayed: ${damaged} cannot be unpacked`);
});

describe("selection", () => {
  test("--tool, --event, --since and --project select calls", async () => {
    const file = world.file("which.mjs", app(""));
    const seen = async (...words: string[]) =>
      (await world.replay(file, ...words)).events.map(({ event, seen }) => `${event} ${seen}`);
    expect(await seen("--all", "--since", "2026-11-15T06:50Z", "--tool", "B*h", "--event", "PreToolUse")).toEqual([
      "PreToolUse 6",
    ]);
    expect(await seen("--project", "/home/dev/b-subagent", "--event", "PreToolUse")).toEqual(["PreToolUse 6"]);
    expect(await seen()).toEqual([]);
  });

  test("bad arguments exit with 1 and say what to write instead", async () => {
    world.file("broken.ts", "export default 1 +;");
    world.file("none.mjs", "export default {};");
    const says = async (...words: string[]) => {
      const { code, stdout, stderr } = await world.hookline(["replay", ...words]);
      return [code, stdout, stderr];
    };
    const file = world.file("fine.mjs", app(""));
    expect(await says("gone.ts")).toEqual([1, "", expect.stringContaining("gone.ts does not exist")]);
    expect(await says("broken.ts")).toEqual([1, "", expect.stringContaining("broken.ts:1")]);
    expect(await says("none.mjs")).toEqual([1, "", expect.stringContaining("exports no app")]);
    expect(await says(file, "--event", "PreTool")).toEqual([
      1,
      "",
      expect.stringContaining("Did you mean PreToolUse?"),
    ]);
    expect(await says(file, "--fail-on", "no")).toEqual([1, "", expect.stringContaining("deny, ask or change")]);
    expect(await says(file, "--since", "soon")).toEqual([1, "", expect.stringContaining("is not a valid time")]);
    expect(await says(file, "--all", "--project", ".")).toEqual([
      1,
      "",
      expect.stringContaining("--project and --all cannot be used together"),
    ]);
    expect(await says(file, "--against", "git:HEAD")).toEqual([1, "", expect.stringContaining("not a git repository")]);
  });

  test("--fail-on exits with 3 when it finds something, else with 0", async () => {
    const file = world.file("fails.ts", guard);
    const ends = async (...words: string[]) => (await world.hookline(["replay", file, "--all", ...words])).code;
    expect(await ends("--fail-on", "deny")).toBe(3);
    expect(await ends("--fail-on", "deny", "--tool", "Read")).toBe(0);
    expect(await ends("--fail-on", "change", "--tool", "Write")).toBe(3);
    expect(await ends("--fail-on", "change", "--tool", "Bash")).toBe(0);
  });
});

describe("--against", () => {
  test("only calls with different answers are listed, each with both answers", async () => {
    const now = world.file("now.ts", guard);
    const before = world.file("before.ts", guard.replace("This waits.", "It sleeps.").replace("/touch/", "/tuch/"));
    const report = await world.replay(now, "--all", "--against", before);
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

  test("git:REF replays the hooks file and its imports as of that commit", async () => {
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
    const report = await world.replay(file, "--all", "--against", "git:HEAD", "--limit", "1");
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
    expect([code, stderr]).toEqual([1, expect.stringContaining('"nowhere" is not a commit of')]);
    const absent = await world.hookline(["replay", file, "--against", "/nowhere.ts"]);
    expect([absent.code, absent.stderr]).toEqual([
      1,
      "hookline: /nowhere.ts cannot be read (ENOENT). --against takes git:REF or a file.\n",
    ]);
  });
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
    const report = await world.replay(file, "--all");
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

  test("a handler that fails only because effects are refused does not count as a denial", async () => {
    const file = world.file(
      "blocks.mjs",
      app(`import fs from "node:fs"; app.preTool({ onFailure: "block" }, () => fs.writeFileSync("/x", ""));`),
    );
    const report = await world.replay(file, "--all", "--event", "PreToolUse");
    expect(report.events).toEqual([
      { event: "PreToolUse", seen: 45, decisions: { "effect-refused": 45 }, ...unchanged },
    ]);
    expect((await world.hookline(["replay", file, "--all", "--fail-on", "deny"])).code).toBe(0);
  });
});

test("a guard that fails only because ctx.git is not available in a replay does not count as a denial", async () => {
  const file = world.file(
    "asks-git.mjs",
    app(`app.preTool({ name: "branch", onFailure: "block" }, async (_, { git }) => void (await git.branch()));`),
  );
  const report = await world.replay(file, "--all", "--event", "PreToolUse");
  expect(report.events).toEqual([{ event: "PreToolUse", seen: 45, decisions: { "effect-refused": 45 }, ...unchanged }]);
  expect(report.effects).toEqual([{ kind: "other", target: "ctx.git", handler: "branch", count: 45 }]);
  expect((await world.hookline(["replay", file, "--all", "--fail-on", "deny"])).code).toBe(0);
});

test("a failure at another line of the hooks file is not a different answer", async () => {
  const failing = `app.preTool({ name: "fails", onFailure: "block" }, () => { throw new Error("no"); });`;
  const before = world.file("fails.mjs", app(failing));
  const now = world.file("fails-lower.mjs", app(`\n// A comment.\n${failing}`));
  const { against } = await world.replay(now, "--all", "--event", "PreToolUse", "--against", before);
  expect(against?.differing).toBe(0);
});

describe("apps that misbehave", () => {
  test("an app that ends its process, prints to stdout and leaves errors is reported, and the replay continues", async () => {
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
    const report = await world.replay(file, "--all", "--event", "PreToolUse", "--tool", "Bash");
    expect(report.events).toEqual([{ event: "PreToolUse", seen: 31, decisions: { ask: 30, none: 1 }, ...unchanged }]);
    expect(report.failures).toEqual([
      { handler: "ends", error: "uncaught error: late", count: 1 },
      { handler: "ends", error: expect.stringMatching(/^process\.reallyExit\(7\) was called; /), count: 1 },
    ]);
  });

  test("a guard that fails outside of its handler's promise, blocks too long or ends its process counts as denied", async () => {
    const ways = {
      rejects: `void Promise.reject(new Error("lost"));`,
      throws: `setTimeout(() => { throw new Error("lost"); }); return new Promise((done) => setTimeout(done, 50));`,
      blocks: "const end = Date.now() + 1_500; while (Date.now() < end);",
      runsOut: "const all = []; for (;;) all.push(new Array(1e6).fill(all.length));",
    };
    const decisions = await Promise.all(
      Object.entries(ways).map(async ([name, body]) => {
        const handler = `({ input }) => { if (/^touch/.test(input.command)) { ${body} } }`;
        const guarded = app(`app.preTool("Bash", ${handler});`, '{ onFailure: "block", timeoutMs: 300 }');
        const file = world.file(`${name}.mjs`, guarded);
        const report = await world.replay(file, "--all", "--event", "PreToolUse", "--tool", "Bash");
        return [name, report.events[0]?.decisions];
      }),
    );
    expect(decisions).toEqual(Object.keys(ways).map((name) => [name, { deny: 1, none: 30 }]));
  });

  test("a promise of a guard that is rejected only because effects are refused has no known answer", async () => {
    const body = `app.preTool("Bash", ({ input }) => { if (/^touch/.test(input.command)) void (async () => fs.writeFileSync("/nowhere", ""))(); });`;
    const file = world.file("refused.mjs", app(`import fs from "node:fs";\n${body}`, '{ onFailure: "block" }'));
    const report = await world.replay(file, "--all", "--event", "PreToolUse", "--tool", "Bash");
    expect(report.events[0]?.decisions).toEqual({ "effect-refused": 1, none: 30 });
  });

  test("a handler that blocks the event loop is ended after its deadline", async () => {
    const file = world.file(
      "holds.mjs",
      app(`app.onPrompt(({ prompt }) => { while (/forked/.test(prompt)); });`, "{ timeoutMs: 200 }"),
    );
    const report = await world.replay(file, "--project", "/home/dev/d-forked", "--event", "UserPromptSubmit");
    const error = "it blocked the event loop past its deadline";
    expect(report.failures).toEqual([{ handler: "(the app)", error, count: 1 }]);
    expect(report.prompts).toBe(3);
  });

  test("a guard that blocks the event loop denies, with its name, as it does in production", async () => {
    const guard = `app.onPrompt({ name: "spin", onFailure: "block" }, ({ prompt }) => { while (/forked/.test(prompt)); });`;
    const file = world.file("spins.mjs", app(guard, "{ timeoutMs: 200 }"));
    const report = await world.replay(file, "--project", "/home/dev/d-forked", "--event", "UserPromptSubmit");
    const error = "it blocked the event loop past its deadline";
    expect(report.failures).toEqual([{ handler: "spin", error, count: 1 }]);
    expect(report.listed).toMatchObject([{ decision: "block", reason: `spin failed: ${error}` }]);
    expect(report.handlers).toMatchObject([{ name: "spin", calls: 3, outcomes: { "timed-out": 1, passed: 2 } }]);
  });
});
