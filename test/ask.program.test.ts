import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const program = resolve(import.meta.dirname, "../dist/cli/bin.cjs");
const base = realpathSync(mkdtempSync(join(tmpdir(), "hookline-ask-test-")));
const [cwd, home, state] = ["project", "home", "state"].map((name) => join(base, name)) as [string, string, string];
for (const folder of [cwd, home]) mkdirSync(folder);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], HOME: home, HOOKLINE_HOME: state, TMPDIR: base };

async function ask(script: object, ...args: readonly string[]) {
  const file = join(base, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const all = [program, "ask", "--agent", "hookline", "--model", `scripted:${file}`, "--json", ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all, { cwd, env, timeout: 60_000 });
  return JSON.parse(stdout) as { result: string; session_id: string; hookline: Record<string, unknown> };
}

test("ask runs our own agent: answer, tools, tokens; then a fork of the session", async () => {
  const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite5m: 0 };
  writeFileSync(join(cwd, "notes.txt"), "blue mugs\n");
  const read = { tool: "Read", input: { file_path: join(cwd, "notes.txt") } };
  const answers = [
    { calls: [read], usage },
    { text: "Mugs.", usage },
  ];
  const first = await ask({ model: "claude-sonnet-4-5", answers }, "What do the notes say?");
  expect(first).toMatchObject({
    result: "Mugs.",
    is_error: false,
    num_turns: 2,
    usage: { input_tokens: 200, output_tokens: 40 },
    hookline: { answerSource: "transcript", ended: "answered", toolCalls: [{ name: "Read", count: 1 }], warnings: [] },
  });
  const told = [{ in: "messages", contains: ["What do the notes say?", "Mugs."] }];
  const again = { model: "claude-sonnet-4-5", answers: [{ text: "Blue.", usage, expect: told }] };
  const second = await ask(again, "Their colour?", "--resume", first.session_id, "--fork");
  expect(second).toMatchObject({ result: "Blue.", usage: { input_tokens: 100, output_tokens: 20 } });
  expect(second.session_id).not.toBe(first.session_id);
  expect(readdirSync(join(state, "ask"))).toEqual([]);
}, 60_000);

test("the printed resume command continues a session of our own agent", async () => {
  const usage = { input: 100, output: 20 };
  const first = await ask({ model: "claude-sonnet-4-5", answers: [{ text: "One.", usage }] }, "Say one.");
  const command = String(first.hookline["resume"]);
  writeFileSync(
    join(base, "script.json"),
    JSON.stringify({
      model: "claude-sonnet-4-5",
      answers: [{ text: "Two.", usage, expect: [{ in: "messages", contains: ["Say one.", "One."] }] }],
    }),
  );
  const line = command.replace(/^hookline /, `'${process.execPath}' '${program}' `).replace('"…"', '"And now?" --json');
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", line], { cwd, env, timeout: 60_000 });
  expect(JSON.parse(stdout)).toMatchObject({ result: "Two.", is_error: false, session_id: first.session_id });
}, 60_000);

/** `ask` with an agent that is a shell script, and how it exits. */
async function askScript(script: string, ...args: readonly string[]) {
  const agent = join(base, "agent");
  writeFileSync(agent, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return promisify(execFile)(process.execPath, [program, "ask", "hi", "--agent", agent, ...args], { cwd, env }).then(
    () => undefined,
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

test("ask exits with 1 and reports the missing session when the agent prints garbage", async () => {
  const failed = await askScript("cat > /dev/null\necho not json");
  expect(failed).toMatchObject({ code: 1 });
  expect(failed?.stdout).toContain("[error] the agent exited with code 0 but printed no result line");
  expect(failed?.stdout).toContain("No session was started.");
  expect(failed?.stderr).toContain("No transcript of this session was found; its tokens are unknown.");
}, 60_000);

test("ask exits with 124 when the agent takes longer than --timeout, even if it ignores signals", async () => {
  expect(await askScript("trap '' TERM INT HUP\nsleep 600", "--timeout", "0.5")).toMatchObject({ code: 124 });
}, 60_000);
