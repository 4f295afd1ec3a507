import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "hookline-ask-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The stand-in as one program, since --agent takes no arguments. */
const agent = join(base, "agent");
const standIn = join(import.meta.dirname, "../../runner/fixtures/stand-in.mjs");
writeFileSync(agent, `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`, { mode: 0o755 });

function ask(args: readonly string[], { stdin = "", env = {} } = {}) {
  return callHookline(["ask", "--agent", "./agent", ...args], {
    home: base,
    env: { PATH: process.env["PATH"], HOME: base, HOOKLINE_HOME: join(base, "state"), ...env },
    stdin,
  });
}

test("ask prints the answer and where it came from; the prompt may come from standard input", async () => {
  const { status, out } = await ask(["-"], { stdin: "hello\nthere" });
  expect(status).toBe(0);
  expect(out).toMatch(/^heard: hello\nthere\n\nSession [0-9a-f-]{36}, 12 tokens, \$0\.0001\. Continue: hookline ask /);
});

test("--file asks one prompt per line or object, in order", async () => {
  writeFileSync(join(base, "prompts"), 'one\n\n{"prompt":"two"}\nthree\n');
  const { status, out } = await ask(["--file", "prompts", "--jobs", "2", "--json"]);
  const results = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { result: string });
  expect(results.map(({ result }) => result)).toEqual(["heard: one", "heard: two", "heard: three"]);
  expect(status).toBe(0);
});

test("--as context answers for the event of the hook that calls", async () => {
  const { out } = await ask(["hi", "--as", "context"], { env: { HOOK_EVENT: "PostToolUse" } });
  expect(JSON.parse(out)).toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolUse" } });
});

test("ask without Claude Code names the ways out", async () => {
  const env = { PATH: base, HOME: base, HOOKLINE_HOME: join(base, "state") };
  const { status, out } = await callHookline(["ask", "hi"], { home: base, env });
  expect([status, out.split("\n")[0]]).toEqual([
    1,
    "[error] claude was not found. Install Claude Code, set HOOKLINE_CLAUDE to its path, or use the agent of Hookline: --agent hookline",
  ]);
});

test("ask exits with 1 when the agent crashes", async () => {
  expect((await ask(["hi"], { env: { STAND_IN: "crash" } })).status).toBe(1);
});

test("wrong calls say what is wrong and start nothing", async () => {
  for (const [args, words] of [
    [[], "takes one prompt"],
    [["a", "b"], 'Unexpected argument "b"'],
    [["a", "--timeout", "soon"], '--timeout must be a number above 0, not "soon"'],
    [["a", "--as", "xml"], '--as must be text, json, tool-result or context, not "xml"'],
    [["--file", "nothing-here"], "nothing-here"],
    [["a", "--resume", "x"], '"x" is not a UUID. Pass a full UUID or omit --resume.'],
    [["a", "--session-id", "x"], '"x" is not a UUID. Pass a full UUID or omit --session-id.'],
    [["a", "--fork"], "--fork requires --resume ID."],
  ] as const) {
    const { status, out, err } = await ask(args);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain(words);
  }
});

test("control sequences in an agent's answer, or in an error about its name, do not reach the terminal", async () => {
  const hostile = "a \u001b]0;title\u0007b \u001b[2J \u009b31m c";
  const { status, out } = await ask(["-"], { stdin: hostile });
  expect([status, out.split("\n")[0]]).toEqual([0, "heard: a b   c"]);
  const { err } = await ask(["--file", "no\u001b[2J\u202efile"]);
  expect(err).toContain("no␛[2J‹U+202E›file");
  expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

test.each([
  [["hi", "--jobs", "3"], "--jobs requires --file"],
  [["hi", "--fail-fast"], "--fail-fast requires --file"],
  [["hi", "--as", "text", "--json"], "--json contradicts --as text"],
  [["hi", "--event", "Stop"], "--event requires --as context"],
  [["hi", "--as", "context", "--event", "Nope"], 'Unknown event "Nope"'],
  [["hi", "--tool-use-id", "x"], "--tool-use-id requires --as tool-result"],
  [["hi", "--max-turns", "1.5"], "must be a whole number above 0, not 1.5"],
  [["--file", "p", "--session-id", "3f0c8a52-6e3d-4d55-9a53-0a3c2f9d3f11"], "cannot be used together"],
  [["--file", "p", "--resume", "3f0c8a52-6e3d-4d55-9a53-0a3c2f9d3f11"], "Add --fork"],
])("options of ask that would have no effect are refused by name: %j", async (args, says) => {
  expect(await ask(args)).toMatchObject({ status: 1, out: "", err: expect.stringContaining(says) });
});

test("a line of --file with a key that ask does not take is an error with the line; CRLF ends a line", async () => {
  writeFileSync(join(base, "odd"), 'one\n{"prompt":"two","maxTurns":1}\n');
  const { status, err } = await ask(["--file", "odd"]);
  expect([status, err]).toEqual([
    1,
    expect.stringContaining('odd, line 2: unknown key "maxTurns"; valid keys: prompt'),
  ]);
  writeFileSync(join(base, "crlf"), "one\r\ntwo\r\n");
  const { out } = await ask(["--file", "crlf", "--json"]);
  expect(out).toContain('"result":"heard: one"');
});
