import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import type { Io } from "../command-line/command.ts";
import { type CommandResult, callHookline } from "../fixtures/caller.ts";
import { main } from "../main.ts";

let base = "";

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookline-agent-cli-")));
  for (const folder of ["home/.claude", "proj", "other"]) mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function agent(
  args: readonly string[],
  { answers = [{ text: "Hello." }] as readonly object[], stdin = "", env = {} as Record<string, string> } = {},
): Promise<CommandResult> {
  writeFileSync(join(base, "script.json"), JSON.stringify({ answers }));
  return callHookline(["agent", ...args, "--model", `scripted:${join(base, "script.json")}`], {
    home: join(base, "home"),
    cwd: join(base, "proj"),
    env: { PATH: process.env["PATH"], HOME: join(base, "home"), HOOKLINE_HOME: join(base, "state"), ...env },
    stdin,
  });
}

test("the prompt is an argument or standard input, and the answer goes to standard output", async () => {
  expect(await agent(["-p", "hi"])).toEqual({ status: 0, out: "Hello.\n", err: "" });
  expect(await agent([], { stdin: "hi\n" })).toEqual({ status: 0, out: "Hello.\n", err: "" });
});

test("the mode bypassPermissions works with both flags that the Agent SDK passes for it", async () => {
  const answers = [{ calls: [{ tool: "Bash", input: { command: "touch made" } }] }, { text: "ok" }];
  const allow = "--allow-dangerously-skip-permissions";
  expect(await agent(["-p", "hi", allow], { answers })).toMatchObject({ status: 0 });
  expect(existsSync(join(base, "proj/made"))).toBe(false);
  expect(await agent(["-p", "hi", "--permission-mode=bypassPermissions", allow], { answers })).toMatchObject({
    status: 0,
  });
  expect(existsSync(join(base, "proj/made"))).toBe(true);
});

test("the status is 1 without a prompt, with wrong arguments and after an API error, and 0 after a blocked prompt", async () => {
  expect(await agent(["-p"])).toMatchObject({ status: 1, err: expect.stringContaining("no prompt") });
  expect(await agent(["-p", "hi", "--permission-mode", "brave"])).toMatchObject({
    status: 1,
    err: expect.stringContaining("brave"),
  });
  expect(await agent(["-p", "hi", "--max-turns", "none"])).toMatchObject({ status: 1 });
  expect(await agent(["-p", "hi", "--output-format", "xml"])).toMatchObject({ status: 1 });
  expect(await agent(["-p", "hi"], { answers: [{ error: { status: 400, message: "no" } }] })).toMatchObject({
    status: 1,
    out: "API Error: 400 no\n",
  });
  const settings = JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] },
  });
  expect(await agent(["-p", "hi", "--settings", settings], { answers: [{ times: "any", text: "x" }] })).toMatchObject({
    status: 0,
    out: expect.stringContaining("blocked by hook"),
  });
});

test("a script that did not go as written fails the run and says where", async () => {
  const { status, err } = await agent(["-p", "hi"], { answers: [{ text: "a" }, { name: "the other one", text: "b" }] });
  expect(status).toBe(1);
  expect(err).toContain("the other one");
});

test("a failed request is retried as often as CLAUDE_CODE_MAX_RETRIES says, and each retry is shown", async () => {
  const answers = [{ error: { status: 529, message: "Overloaded", retryAfterMs: 10 } }, { text: "second try" }];
  const { status, out, err } = await agent(["-p", "hi"], { answers, env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
  expect({ status, out }).toEqual({ status: 0, out: "second try\n" });
  expect(err).toContain("Overloaded");
});

test("flags reach the session: rules, folders, ids, names, resume", async () => {
  const id = "44444444-4444-4444-8444-444444444444";
  const answers = [
    {
      calls: [
        { tool: "Bash", input: { command: "touch made" } },
        { tool: "Read", input: { file_path: join(base, "other/f") } },
      ],
    },
    { text: "done" },
  ];
  writeFileSync(join(base, "other/f"), "far away\n");
  const first = await agent(
    [
      "-p",
      "hi",
      "--allowed-tools",
      "Bash(touch made),Read",
      "--add-dir",
      join(base, "other"),
      "--session-id",
      id,
      "-n",
      "mine",
      "--output-format",
      "json",
    ],
    { answers },
  );
  expect(JSON.parse(first.out)).toMatchObject({ session_id: id, permission_denials: [] });
  expect(existsSync(join(base, "proj/made"))).toBe(true);
  const second = await agent(["-p", "again", "-c", "--output-format", "json"]);
  expect(JSON.parse(second.out)).toMatchObject({ session_id: id });
  const third = await agent(["-p", "again", "-r", id, "--fork-session", "--output-format", "json"]);
  expect((JSON.parse(third.out) as { session_id: string }).session_id).not.toBe(id);
});

test("a prompt on the command line is the first turn of the line prompt at a terminal, and the line prompt continues", async () => {
  writeFileSync(join(base, "script.json"), JSON.stringify({ answers: [{ text: "One." }, { text: "Two." }] }));
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let out = "";
  const left = ["second\n", "/exit\n"];
  const io: Io = {
    stdin,
    out: async (text) => {
      out += text;
      if (/(One|Two)\.\n> $/.test(out)) stdin.write(left.shift() ?? "");
    },
    err: async () => undefined,
    env: { PATH: process.env["PATH"], HOME: join(base, "home"), HOOKLINE_HOME: join(base, "state") },
    cwd: join(base, "proj"),
    home: join(base, "home"),
    terminal: { out: true, err: true, colour: false, columns: 80 },
    signal: new AbortController().signal,
  };
  const status = await main(["agent", "the", "first", "--model", `scripted:${join(base, "script.json")}`], io);
  expect({ status, out }).toEqual({ status: 0, out: "> the first\nOne.\n> Two.\n> " });
});

test.each([
  [["--max-budget-usd", "-1"], '--max-budget-usd requires a value. To pass "-1", write --max-budget-usd=-1.'],
  [["--max-budget-usd=-1"], '--max-budget-usd must be a number above 0, not "-1".'],
  [["--max-turns", "1.5"], '--max-turns must be a whole number above 0, not "1.5".'],
  [["--max-budget-usd", "1e999"], '--max-budget-usd must be a number above 0, not "1e999".'],
  [["--model"], "--model requires a value."],
])("%j is an error in one clear sentence", async (args, says) => {
  const { status, err } = await callHookline(["agent", "-p", "hi", ...args], {
    home: join(base, "home"),
    cwd: join(base, "proj"),
    env: { PATH: process.env["PATH"], HOME: join(base, "home"), HOOKLINE_HOME: join(base, "state") },
    stdin: "",
  });
  expect(status).toBe(1);
  expect(err).toContain(says);
  expect(err).not.toContain("ambiguous");
});

test.each([
  [
    ["--permission-prompt-tool", "mcp__a__b", "--input-format", "stream-json"],
    '--permission-prompt-tool must be stdio, not "mcp__a__b"',
  ],
  [["--permission-prompt-tool", "stdio"], "--permission-prompt-tool requires --input-format stream-json"],
  [["--input-format", "stream-json"], "--input-format stream-json requires --output-format stream-json"],
  [["--input-format", "stream-json", "--output-format", "stream-json"], "Omit the prompt"],
  [["--include-partial-messages"], "--include-partial-messages requires --output-format stream-json"],
  [["--include-hook-events", "--output-format", "json"], "--include-hook-events requires --output-format stream-json"],
  [["--init", "--maintenance"], "--init and --maintenance cannot be used together"],
  [["--permission-mode", "plan", "--dangerously-skip-permissions"], "contradicts --permission-mode plan"],
  [["--fork-session"], "--fork-session requires --resume ID or --continue."],
  [["--resume", "x", "--continue"], "name two sessions"],
  [["--continue", "--session-id", "3f0c8a52-6e3d-4d55-9a53-0a3c2f9d3f11"], "A resumed session keeps its id"],
  [["--add-dir", "/nowhere"], "/nowhere is not a directory"],
])("flags that would have no effect are refused by name: %j", async (flags, says) => {
  expect(await agent(["-p", "hi", ...flags])).toMatchObject({ status: 1, out: "", err: expect.stringContaining(says) });
});

/** A call whose prompt comes in by a pipe, in the pieces that are given. */
function piped(signal: AbortSignal, answers: readonly object[]) {
  writeFileSync(join(base, "script.json"), JSON.stringify({ answers }));
  const stdin = new PassThrough();
  const io: Io = {
    stdin,
    out: async () => undefined,
    err: async () => undefined,
    env: { PATH: process.env["PATH"], HOME: join(base, "home"), HOOKLINE_HOME: join(base, "state") },
    cwd: join(base, "proj"),
    home: join(base, "home"),
    terminal: { out: false, err: false, colour: false, columns: 80 },
    signal,
  };
  return { stdin, status: main(["agent", "-p", "--model", `scripted:${join(base, "script.json")}`], io) };
}

test("a character of a prompt on standard input that comes in two pieces stays whole", async () => {
  const answers = [{ text: "ok", expect: [{ in: "last-message", contains: ["100 €"] }] }];
  const { stdin, status } = piped(new AbortController().signal, answers);
  const bytes = Buffer.from("100 €");
  stdin.write(bytes.subarray(0, 5));
  stdin.end(bytes.subarray(5));
  expect(await status).toBe(0);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])(
  "%s ends an agent that still loads, or waits for a prompt on standard input, with status %i",
  async (name, expected) => {
    const reason = new Error(`interrupted by ${name}`);
    expect(await piped(AbortSignal.abort(reason), []).status).toBe(expected);
    const ending = new AbortController();
    const { stdin, status } = piped(ending.signal, []);
    const readers = () => stdin.listenerCount("data") + stdin.listenerCount("readable");
    await until("it waits for the prompt", () => readers() > 0);
    ending.abort(reason);
    expect(await status).toBe(expected);
  },
);
