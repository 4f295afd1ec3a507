import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World } from "./fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const files = (): readonly string[] => readdirSync(world.store, { recursive: true, encoding: "utf8" }).sort();

test("a session that goes on without being written knows what was said, and writes nothing", async () => {
  world = makeWorld({ hooks: { SessionStart: {} } });
  const sessionId = randomUUID();
  await world.run([{ text: "The word is plum." }], { prompt: "Choose a word", sessionId });
  const before = [files(), world.transcript(sessionId)];
  for (const named of [{ resume: sessionId }, { goOn: true }]) {
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

test("a session that ended in a worktree is resumed there; one whose worktree is gone says so", async () => {
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
  const says = `This session was last in ${worktree}, which is gone. It continues in ${world.project}.`;
  expect(JSON.stringify(gone.requests[0]?.messages.at(-1))).toContain(says);
  expect(gone.events).toContainEqual({ kind: "notice", text: says, level: "warning" });
  expect(gone.result.result).toBe("ok");
});
