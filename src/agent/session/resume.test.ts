import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World } from "../fixtures/agent-run.ts";
import { tasksLostAtRestart } from "./inbox.ts";

let world: World;
afterEach(() => world?.remove());

const files = (): readonly string[] => readdirSync(world.store, { recursive: true, encoding: "utf8" }).sort();

test("a session that was started as an agent is resumed and forked as that agent, with its tools and its hooks, or not at all", async () => {
  world = makeWorld({ hooks: {}, settings: { permissions: { allow: ["Bash"] } } });
  const { run, home, project, transcript } = world;
  const hook =
    "hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: echo not that >&2; exit 2\n";
  mkdirSync(join(home, ".claude/agents"));
  writeFileSync(
    join(home, ".claude/agents/small.md"),
    `---\nname: small\ntools: Read, Bash\n${hook}---\nYou are small.`,
  );
  const offers = { in: "tools" as const, contains: ["Read:"], lacks: ["Write:"] };
  const touch = { calls: [{ tool: "Bash", input: { command: "touch made" } }], expect: [offers] };
  const { result } = await run([{ text: "ok" }], { prompt: "go", subagent: "small" });
  const { session_id: id } = result;
  const setting = { type: "agent-setting", agentSetting: "small", sessionId: id };
  expect(transcript(id).filter(({ type }) => type === "agent-setting")).toEqual([setting]);
  for (const more of [{}, { fork: true }, { persist: false }]) {
    const { complaints } = await run([touch, { text: "ok" }], { prompt: "more", resume: id, ...more });
    expect([complaints, existsSync(join(project, "made"))]).toEqual([[], false]);
  }
  const other = { in: "tools" as const, contains: ["Write:"] };
  const named = await run([{ text: "ok", expect: [other] }], { prompt: "x", resume: id, subagent: "general-purpose" });
  expect(named.complaints).toEqual([]);
  await run([{ text: "ok" }], { prompt: "x", resume: id, subagent: "small" });
  rmSync(join(home, ".claude/agents/small.md"));
  await expect(run([{ text: "ok" }], { prompt: "x", resume: id })).rejects.toThrow(
    'There is no subagent "small". Subagents: general-purpose, Explore. This session was started as it; name another one with --subagent.',
  );
});

test("a session that is resumed without persistence knows the conversation and writes nothing", async () => {
  world = makeWorld({ hooks: { SessionStart: {} } });
  const sessionId = randomUUID();
  await world.run([{ text: "The word is plum." }], { prompt: "Choose a word", sessionId });
  const before = [files(), world.transcript(sessionId)];
  for (const named of [{ resume: sessionId }, { continueLatest: true }]) {
    const ran = await world.run([{ text: "ok" }], { prompt: "Which one?", persist: false, ...named });
    expect(JSON.stringify(ran.requests[0]?.messages)).toContain("The word is plum.");
    expect(ran.result.session_id).not.toBe(sessionId);
  }
  expect([files(), world.transcript(sessionId)]).toEqual(before);
  expect(world.payloads("SessionStart").map(({ source }) => source)).toEqual(["startup", "resume", "resume"]);
});

test("a fork gets the id it is given, and never that of another session", async () => {
  world = makeWorld({ hooks: {} });
  const [first, second] = [randomUUID(), randomUUID()];
  await world.run([{ text: "The word is plum." }], { prompt: "Choose a word", sessionId: first });
  const fork = { prompt: "go", resume: first, fork: true, sessionId: second };
  const ran = await world.run([{ text: "ok" }], fork);
  expect(ran.result.session_id).toBe(second);
  expect(JSON.stringify(world.transcript(second))).toContain("The word is plum.");
  await expect(world.run([{ text: "ok" }], fork)).rejects.toThrow(`holds a session ${second} already`);
});

test("a session that ended in a worktree is resumed there; a removed worktree is reported", async () => {
  world = makeWorld({ hooks: { SessionStart: {} }, files: { "a.txt": "one" } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: world.project });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  const sessionId = randomUUID();
  const permissionMode = "bypassPermissions";
  const enter = { calls: [{ tool: "EnterWorktree", input: { name: "feat" } }] };
  await world.run([enter, { text: "ok" }], { prompt: "go", sessionId, permissionMode });

  const look = { calls: [{ tool: "Bash", input: { command: "pwd" } }] };
  const resumed = { prompt: "where?", resume: sessionId, permissionMode } as const;
  const there = await world.run([look, { text: "ok" }], resumed);
  const worktree = join(world.project, ".claude/worktrees/feat");
  expect(JSON.stringify(there.requests[1]?.messages.at(-1))).toContain(worktree);
  expect(world.payloads("SessionStart").at(-1)).toMatchObject({ source: "resume", cwd: worktree });

  rmSync(worktree, { recursive: true });
  const gone = await world.run([look, { text: "ok" }], resumed);
  const says = `This session was last in ${worktree}, which no longer exists. It continues in ${world.project}.`;
  expect(JSON.stringify(gone.requests[0]?.messages.at(-1))).toContain(says);
  expect(gone.events).toContainEqual({ kind: "notice", text: says, level: "warning" });
  expect(gone.result.result).toBe("ok");
});

test("a teammate that ended with the earlier process counts as background work that will not report", () => {
  const call = (id: string, input: object) => ({ type: "tool_use" as const, id, name: "Agent", input: { ...input } });
  const mate = call("toolu_mate", { description: "Mate", name: "mate" });
  const front = call("toolu_front", { description: "Front" });
  const news = tasksLostAtRestart([{ role: "assistant", content: [mate, front] }]);
  expect(news.map(({ content }) => content)).toEqual([expect.stringContaining("toolu_mate</tool-use-id>")]);
});
