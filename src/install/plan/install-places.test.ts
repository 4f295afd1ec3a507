import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../fixtures/world.ts";
import { hooksFileFor, projectRoot, scopeFiles } from "./install-places.ts";

test("each scope has its settings and its lock file", () => {
  const { project, home } = world();
  const at = { cwd: join(project, ".claude"), home, env: {} };
  expect(scopeFiles("project", at)).toEqual({
    scope: "project",
    root: project,
    settingsFile: join(project, ".claude/settings.json"),
    lockFile: join(project, ".claude/.hookline.lock"),
  });
  expect(scopeFiles("local", at)).toMatchObject({
    settingsFile: join(project, ".claude/settings.local.json"),
    lockFile: join(project, ".claude/.hookline.local.lock"),
  });
  expect(scopeFiles("user", at)).toMatchObject({
    settingsFile: join(home, ".claude/settings.json"),
    lockFile: join(home, ".claude/.hookline.lock"),
  });
  const moved = scopeFiles("user", { ...at, env: { CLAUDE_CONFIG_DIR: join(home, "elsewhere") } });
  expect(moved.settingsFile).toBe(join(home, "elsewhere/settings.json"));
});

test("the project is the nearest folder with .claude, .git or package.json, never the home folder unless it is named", () => {
  const { folder, home } = world();
  const deep = join(home, "work/repo/src/deep");
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(home, ".claude"));
  // Without any mark it is the current folder, although the home folder has one.
  expect(projectRoot({ cwd: deep, home, env: {} })).toBe(deep);
  mkdirSync(join(home, "work/repo/.git"));
  expect(projectRoot({ cwd: deep, home, env: {} })).toBe(join(home, "work/repo"));
  writeFileSync(join(home, "work/repo/src/package.json"), "{}");
  expect(projectRoot({ cwd: deep, home, env: {} })).toBe(join(home, "work/repo/src"));
  expect(() => projectRoot({ cwd: home, home, env: {} })).toThrow(
    expect.objectContaining({ code: "install/no-project" }),
  );
  expect(projectRoot({ cwd: home, home, env: {}, project: home })).toBe(home);
  symlinkSync(home, join(folder, "link"));
  expect(() => projectRoot({ cwd: join(folder, "link"), home, env: {} })).toThrow(/home directory/);
});

test("the hooks file is the one that was named, else the usual one; user scope falls back to the user's own", () => {
  const { project, home, hooksFile } = world();
  const at = { cwd: project, home, env: {} };
  expect(hooksFileFor("project", undefined, at)).toBe(hooksFile);
  writeFileSync(join(project, ".claude/hooks.ts"), "");
  expect(hooksFileFor("project", undefined, at)).toBe(join(project, ".claude/hooks.ts"));
  expect(hooksFileFor("user", ".claude/hooks.mjs", at)).toBe(hooksFile);
  expect(() => hooksFileFor("project", "none.ts", at)).toThrow(expect.objectContaining({ code: "install/no-file" }));
  mkdirSync(join(home, ".claude"));
  const own = join(home, ".claude/hooks.js");
  expect(() => hooksFileFor("user", undefined, { ...at, cwd: home })).toThrow(/hookline init/);
  writeFileSync(own, "");
  expect(hooksFileFor("user", undefined, { ...at, cwd: home })).toBe(own);
});
