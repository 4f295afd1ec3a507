import { expect, test } from "vitest";
import { compileCommand, couldCover, covers } from "./spec-patterns.ts";

const covered = (spec: string, ...texts: string[]) => texts.map((text) => covers(compileCommand(spec), text));

test("without a star the whole text must be equal", () => {
  expect(covered("npm test", "npm test", "npm test x", "npm tes", "npm  test")).toEqual([true, false, false, false]);
});

test("a final blank and star match the end, or a blank and anything", () => {
  expect(covered("git *", "git", "git status", "git  x", "gitx", "git-x", "git\tx")).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(covered("git:*", "git", "git status", "gitx")).toEqual([true, true, false]);
  expect(covered("npm run test:*", "npm run test", "npm run test x", "npm run test:unit")).toEqual([true, true, false]);
});

test("any other star matches any run of characters", () => {
  expect(covered("git * main", "git push main", "git push origin main", "git main", "git push main x")).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(covered("ls*", "ls", "lsof", "ls -l")).toEqual([true, true, true]);
  expect(covered("* --version", "node --version", "--version")).toEqual([true, false]);
  expect(covered("a:*b", "a:b", "a:xb", "a b")).toEqual([true, true, false]);
});

test("a backslash makes star, brackets and backslash literal", () => {
  expect(covered("echo \\*", "echo *", "echo x")).toEqual([true, false]);
  expect(covered("echo \\(a\\)", "echo (a)")).toEqual([true]);
  expect(covered("echo \\\\", "echo \\")).toEqual([true]);
  expect(covered("echo \\n", "echo \\n")).toEqual([true]);
});

test("a text with gaps could be covered when some value completes it", () => {
  const could = (spec: string, ...text: [string, ...string[]]) => couldCover(compileCommand(spec), text);
  expect(could("git push *", "git ", "")).toBe(true);
  expect(could("git push", "git", "")).toBe(true);
  expect(could("rm *", "echo ", "")).toBe(false);
  expect(could("rm *", "", " x")).toBe(true);
  expect(could("npm run test", "npm ", " x")).toBe(false);
});
