import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dist } from "../files/fixtures/programs.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hookline-code-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const builds = () => join(home, "state", "builds");
const saved = () => (existsSync(builds()) ? readdirSync(builds()) : []);

function hookline(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, "cli", "bin.cjs"), ...args], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home, HOOKLINE_HOME: join(home, "state"), ...env },
  });
  return { status, stdout, stderr };
}

const nothing = { status: 0, stdout: "No hooks are configured here.\n", stderr: "" };

test("a command saves its compiled code once, and each verb of sessions its own", () => {
  expect(hookline(["list"])).toEqual(nothing);
  const [file = ""] = saved();
  expect(file).toMatch(/^list-[0-9a-f]{16}-v\d/);
  const before = readFileSync(join(builds(), file));
  expect(hookline(["list"])).toEqual(nothing);
  expect(readFileSync(join(builds(), file)).equals(before)).toBe(true);
  expect(hookline(["sessions", "ls", "--root", join(dist, "../examples/sessions")]).status).toBe(0);
  expect(saved().map((name) => name.replace(/-[0-9a-f]{16}-.*/, ""))).toEqual(["list", "sessions-ls"]);
});

test("a command with damaged code works and replaces it", () => {
  hookline(["list"]);
  const file = join(builds(), saved()[0] ?? "");
  const good = readFileSync(file);
  for (const bytes of [Buffer.from(good).fill(0x55, 20_000, 20_400), good.subarray(0, 1_001), Buffer.alloc(0)]) {
    writeFileSync(file, bytes);
    expect(hookline(["list"])).toEqual(nothing);
    const both = readFileSync(file);
    expect(both.subarray(0, both.length / 2).equals(both.subarray(both.length / 2))).toBe(true);
    expect(both.length).toBeGreaterThan(good.length / 2);
  }
});

test("a command that fails, that is switched off, or that is seldom started saves no code", () => {
  expect(hookline(["list", "--nonsense"]).status).not.toBe(0);
  expect(hookline(["sessions", "../../x"]).status).not.toBe(0);
  expect(hookline(["list"], { NODE_DISABLE_COMPILE_CACHE: "1" })).toEqual(nothing);
  expect(hookline(["--version"]).status).toBe(0);
  expect(saved()).toEqual([]);
});

test("starts under other flags of Node have code of their own", () => {
  expect(hookline(["list"])).toEqual(nothing);
  expect(hookline(["list"], { NODE_OPTIONS: "--stack-trace-limit=50" })).toEqual(nothing);
  const [plain = "", flagged = ""] = saved();
  expect(flagged).toMatch(new RegExp(`^${plain}-\\w+$`));
});

test("the oldest compiled code is removed when new code is saved; builds stay", () => {
  hookline(["list"]);
  const [own = ""] = saved();
  const put = (name: string) => {
    writeFileSync(join(builds(), name), "");
    utimesSync(join(builds(), name), 1, 1);
  };
  for (let n = 10; n < 70; n++) put(own.replace(/-[0-9a-f]{16}-/, `-${"0".repeat(14)}${n}-`));
  put(`${"a".repeat(64)}.mjs`);
  rmSync(join(builds(), own));
  expect(hookline(["list"])).toEqual(nothing);
  const left = saved();
  expect([left.length, left.includes(own), left.includes(`${"a".repeat(64)}.mjs`)]).toEqual([51, true, true]);
});
