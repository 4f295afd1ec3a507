import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recorded } from "../tools/fixtures/recorded.ts";
import { shapeOf, type ToolWorld, toolWorld } from "../tools/fixtures/world.ts";
import { worktreeNameFault } from "./git-worktree.ts";
import { enterWorktreeTool, exitWorktreeTool } from "./worktree-tools.ts";

function repository(): ToolWorld & { git(...args: string[]): string } {
  const world = toolWorld();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
      cwd: world.context.cwd(),
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: world.home },
    });
  git("init", "-q", "-b", "main");
  world.write("a.txt", "one\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  return { ...world, git };
}

test("git creates a worktree, which is entered and left with Claude Code's messages", async () => {
  const { call, project, notes, git, context } = repository();
  const path = join(project, ".claude/worktrees/feat");
  expect(await call(enterWorktreeTool, { name: "feat" })).toEqual({
    isError: false,
    content: `Created worktree at ${path} on branch worktree-feat. The session is now working in the worktree. Use ExitWorktree to leave mid-session, or exit the session to be prompted.`,
    response: {
      worktreePath: path,
      worktreeBranch: "worktree-feat",
      message: `Created worktree at ${path} on branch worktree-feat. The session is now working in the worktree. Use ExitWorktree to leave mid-session, or exit the session to be prompted.`,
    },
  });
  expect([context.cwd(), existsSync(join(path, "a.txt"))]).toEqual([path, true]);
  expect(await call(enterWorktreeTool, { name: "two" })).toMatchObject({ isError: true });
  expect(await call(exitWorktreeTool, { action: "keep" })).toMatchObject({
    content: `Exited worktree. Your work is preserved at ${path} on branch worktree-feat. Session is now back in ${project}.`,
  });
  expect(notes).toEqual([`moved ${path}`, `moved ${project}`]);
  expect(git("branch", "--list", "worktree-*")).toContain("worktree-feat");
});

test("work that would be lost is not removed without discard_changes", async () => {
  const { call, project, context, git } = repository();
  await call(enterWorktreeTool, { name: "feat" });
  writeFileSync(join(context.cwd(), "new.txt"), "x");
  git("commit", "-q", "--allow-empty", "-m", "work");
  expect(await call(exitWorktreeTool, { action: "remove" })).toMatchObject({
    isError: true,
    content:
      '<tool_use_error>Worktree has 1 uncommitted file and 1 commit on worktree-feat. Removing will discard this work permanently. Confirm with the user, then re-invoke with discard_changes: true — or use action: "keep" to preserve the worktree.</tool_use_error>',
  });
  const path = context.cwd();
  expect(await call(exitWorktreeTool, { action: "remove", discard_changes: true })).toMatchObject({
    response: { action: "remove", originalCwd: project, worktreePath: path, discardedFiles: 1, discardedCommits: 1 },
  });
  expect([existsSync(path), git("branch", "--list", "worktree-*"), context.cwd()]).toEqual([false, "", project]);
});

test("a hook's folder replaces git's, and a hook removes it; the responses are the recorded ones", async () => {
  const world = toolWorld();
  const made = join(world.root, "made");
  mkdirSync(made);
  const worktrees = {
    ...world.context.worktrees,
    create: async () => ({ by: "hook" as const, path: made }),
    remove: async (path: string) => {
      rmSync(path, { recursive: true });
      return true;
    },
  };
  for (const tool of [enterWorktreeTool, exitWorktreeTool]) {
    const [{ tool_input, tool_response } = {}] = recorded("PostToolUse", tool.name);
    const result = await world.call(tool, tool_input as Record<string, unknown>, { worktrees });
    const response = "response" in result ? result.response : undefined;
    expect(JSON.stringify(shapeOf(response))).toBe(JSON.stringify(shapeOf(tool_response)));
  }
  expect([existsSync(made), world.context.cwd()]).toEqual([false, world.project]);
});

test("a hook that fails fails the tool, and the session stays", async () => {
  const world = repository();
  const [failure] = recorded("PostToolUseFailure", "EnterWorktree");
  const error = String(failure?.["error"]);
  const worktrees = { ...world.context.worktrees, create: async () => ({ by: "failed" as const, error }) };
  expect(await world.call(enterWorktreeTool, { name: "feat" }, { worktrees })).toEqual({
    isError: true,
    content: error,
    interrupted: false,
  });
  expect([world.context.cwd(), existsSync(join(world.project, ".claude"))]).toEqual([world.project, false]);
});

test("without repository and hook there is no worktree", async () => {
  const { call } = toolWorld();
  expect(await call(enterWorktreeTool, {})).toMatchObject({
    isError: true,
    content: expect.stringMatching(/^Cannot create a worktree: not in a git repository/),
  });
});

test("an existing worktree is entered and not removed", async () => {
  const { call, project, git, root } = repository();
  const path = join(root, "beside");
  git("worktree", "add", "-q", path);
  expect(await call(enterWorktreeTool, { path })).toMatchObject({
    content: expect.stringMatching(/^Entered worktree at /),
  });
  expect(await call(exitWorktreeTool, { action: "remove", discard_changes: true })).toMatchObject({ isError: true });
  expect(await call(exitWorktreeTool, { action: "keep" })).toMatchObject({ response: { originalCwd: project } });
  expect(await call(enterWorktreeTool, { path: "/etc" })).toMatchObject({ isError: true });
  expect(await call(enterWorktreeTool, { path: project })).toMatchObject({ isError: true });
});

test("a checkout whose worktrees folder is a link elsewhere gets no worktree there", async () => {
  const { call, project, root } = repository();
  mkdirSync(join(root, "elsewhere"));
  mkdirSync(join(project, ".claude"));
  symlinkSync(join(root, "elsewhere"), join(project, ".claude/worktrees"));
  expect(await call(enterWorktreeTool, { name: "feat" })).toMatchObject({ isError: true });
  expect(existsSync(join(root, "elsewhere/feat"))).toBe(false);
});

test("names that cannot be folders and branches are refused", () => {
  for (const name of ["feat", "a/b", "A_1.x-y"]) expect(worktreeNameFault(name)).toBeUndefined();
  for (const name of [
    "",
    "..",
    "a/../b",
    "a b",
    "-f",
    "a//b",
    "x.lock",
    ".hid",
    "a..b",
    "a\n",
    "x".repeat(65),
    "$(id)",
  ]) {
    expect(worktreeNameFault(name)).toContain("Invalid worktree name");
  }
});
