import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ToolWorld, toolWorld } from "../tools/fixtures/world.ts";
import { listFiles } from "../tools/search/list-files.ts";
import { enterWorktreeTool, exitWorktreeTool } from "./worktree-tools.ts";

function repository(): ToolWorld & { git(...args: string[]): string } {
  const world = toolWorld();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
      cwd: world.project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: world.home },
    });
  git("init", "-q", "-b", "main");
  world.write("a.txt", "one\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  return { ...world, git };
}

/** What `git worktree list` is made from: a few files that a checkout, or a model that may write, can create too. */
function forge({ project, git }: ReturnType<typeof repository>, name: string, folder: string): void {
  const at = join(project, ".git/worktrees", name);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, "gitdir"), `${folder}/.git\n`);
  writeFileSync(join(at, "commondir"), "../..\n");
  writeFileSync(join(at, "HEAD"), git("rev-parse", "HEAD"));
}

test("a worktree entry that points outside the repository is refused", async () => {
  const world = repository();
  forge(world, "forged", world.home);
  expect(world.git("worktree", "list")).toContain(world.home);
  const gone = await world.call(enterWorktreeTool, { path: world.home });
  expect(gone).toMatchObject({
    isError: true,
    content: expect.stringContaining("is not a worktree of this repository"),
  });
  expect(world.context.cwd()).toBe(world.project);
});

test("a separate repository in that folder does not make it a worktree of this one", async () => {
  const world = repository();
  execFileSync("git", ["init", "-q", world.home]);
  forge(world, "forged", world.home);
  expect(await world.call(enterWorktreeTool, { path: world.home })).toMatchObject({ isError: true });
});

test("a link in place of a listed worktree is not followed", async () => {
  const world = repository();
  const place = join(world.project, ".claude/worktrees/feat");
  mkdirSync(join(world.project, ".claude/worktrees"), { recursive: true });
  symlinkSync(world.home, place);
  forge(world, "feat", place);
  expect(await world.call(enterWorktreeTool, { name: "feat" })).toMatchObject({ isError: true });
  expect(world.context.cwd()).toBe(world.project);
});

test("a real worktree is entered by its path", async () => {
  const world = repository();
  const path = join(world.home, "tree");
  world.git("worktree", "add", "-q", path);
  expect(await world.call(enterWorktreeTool, { path })).toMatchObject({ isError: false });
  expect(world.context.cwd()).toBe(path);
});

test("neither a search nor a worktree runs the program that a repository names as its file monitor", async () => {
  const { project, home, git, call, context } = repository();
  const canary = join(home, "canary");
  writeFileSync(join(home, "monitor.sh"), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  git("config", "core.fsmonitor", join(home, "monitor.sh"));
  const { env, signal } = context;
  expect(await listFiles({ root: project, env, signal }, "out")).toEqual(["a.txt"]);
  await call(enterWorktreeTool, { name: "feat" });
  await call(exitWorktreeTool, { action: "remove" });
  expect(existsSync(canary)).toBe(false);
});
