import { lchownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isStateFolderSafe } from "./state-folder.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-state-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Makes folders below the root, for this user alone. */
function made(...names: readonly string[]): void {
  for (const name of names) mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
}

function isSafe(state: string, { cwd = "project", home = "home" } = {}): boolean {
  const env = { HOME: join(root, home), HOOKLINE_HOME: join(root, state) };
  return isStateFolderSafe("builds", { env }, [join(root, cwd)]);
}

test("code in a state folder outside the checkout may be run", () => {
  made("state/builds", "home", "project");
  expect(isSafe("state")).toBe(true);
});

test("code in the working folder or in the repository around it may not be run", () => {
  made("project/.git", "project/sub", "project/state/builds", "home");
  expect(isSafe("project/state")).toBe(false);
  expect(isSafe("project/state", { cwd: "project/sub" })).toBe(false);
});

test("code in a repository may not be run from a folder outside of it, or when HOME is a relative path", () => {
  made("project/.git", "project/state/builds", "home", "elsewhere");
  expect(isSafe("project/state", { cwd: "elsewhere" })).toBe(false);
  const env = { HOME: "near", HOOKLINE_HOME: join(root, "project/state") };
  expect(isStateFolderSafe("builds", { env }, [])).toBe(false);
});

test("code in a repository that contains the home folder may be run", () => {
  made(".git", "state/builds", "home", "project");
  expect(isSafe("state")).toBe(true);
});

test.skipIf(process.getuid?.() !== 0)("code behind a link that another user made may not be run", () => {
  made("real/state/builds", "home", "project");
  symlinkSync(join(root, "real"), join(root, "link"));
  expect(isSafe("link/state")).toBe(true);
  lchownSync(join(root, "link"), 1234, 1234);
  expect(isSafe("link/state")).toBe(false);
});
