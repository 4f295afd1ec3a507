import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callHookline } from "../src/cli/fixtures/caller.ts";
import { dist } from "../src/files/fixtures/programs.ts";

test("a user writes hooks with init, tests and installs them, an event runs them, and uninstall removes them", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-user-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [project, home] = [join(folder, "the user's project"), join(folder, "home")];
  mkdirSync(join(project, "node_modules"), { recursive: true });
  mkdirSync(home);
  symlinkSync(dirname(dist), join(project, "node_modules/hookline"));
  const env = { PATH: process.env["PATH"], HOME: home, HOOKLINE_HOME: join(folder, "state") };
  const hookline = (...args: string[]) => callHookline(args, { home, cwd: project, env });
  const settings = join(project, ".claude/settings.json");

  expect(await hookline("init")).toMatchObject({ status: 0, err: "" });
  expect(await hookline("test")).toMatchObject({ status: 0, out: expect.stringContaining("2 tests, 0 failed") });
  expect(await hookline("install", "--transport", "run")).toMatchObject({ status: 0, err: "" });
  expect(readFileSync(settings, "utf8")).toContain("PreToolUse");

  const payload = join(folder, "event.json");
  const call = { tool_name: "Bash", tool_input: { command: "rm -rf build" }, tool_use_id: "t" };
  writeFileSync(payload, JSON.stringify({ transcript_path: "none", ...call }));
  const fired = await hookline("fire", "PreToolUse", "--input", payload, "--json");
  expect([fired.status, fired.err]).toEqual([0, ""]);
  expect(JSON.parse(fired.out)).toMatchObject({ decision: "ask", runs: [{ ended: { by: "exit" } }] });

  expect(await hookline("uninstall")).toMatchObject({ status: 0, err: "" });
  expect([existsSync(settings), (await hookline("status")).status]).toEqual([false, 4]);
});
