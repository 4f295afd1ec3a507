import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createApp, updateOutput } from "../../sdk/index.ts";
import { testClient } from "../../sdk/testing/index.ts";
import { callHookline } from "../fixtures/caller.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const hooks = `import { createApp, deny } from "hookline/sdk";
export default createApp().preTool("Bash", { name: "guard" }, ({ input }) => (/rm/.test(String(input.command)) ? deny("no rm") : undefined));
`;

function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-test-"));
  folders.push(folder);
  mkdirSync(join(folder, ".claude/hooks-tests"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, ".claude", name), text);
  return folder;
}

function run(cwd: string, ...words: string[]) {
  const env = { PATH: process.env["PATH"], HOME: cwd, HOOKLINE_HOME: join(cwd, "state") };
  return callHookline(["test", ...words], { home: cwd, env });
}

test("the status is 2 without tests, 3 when a case fails, and 0 when all pass", async () => {
  expect((await run(project({}))).status).toBe(2);
  const one = (decision: string) =>
    JSON.stringify({ name: "rm", event: "PreToolUse", tool: "Bash", input: { command: "rm x" }, expect: { decision } });
  const good = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": one("deny") }));
  expect([good.status, good.out]).toEqual([0, "ok      rm\n1 case, 0 failed\n"]);
  const bad = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": one("allow") }));
  expect(bad.status).toBe(3);
  expect(bad.out.replace(/[\d.]+ ms/, "N ms").split("\n")).toEqual([
    "FAILED  rm",
    '  decision is "deny", expected "allow"',
    "  guard  answered deny, N ms",
    expect.stringMatching(/^ {2}exit 0 {2}\{"hookSpecificOutput".*"no rm"/),
    "1 case, 1 failed",
    "",
  ]);
});

test("a case with an unknown expectation, or without one, fails", async () => {
  const cases = [{ decison: "deny" }, {}].map((expect) => ({ name: "x", event: "Stop", expect }));
  const { status, out } = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": JSON.stringify(cases) }));
  expect(status).toBe(3);
  expect(out).toContain('Unknown field "decison" in an answer. Did you mean "decision"?');
  expect(out).toContain("expect is empty");
});

test("a case with a misspelled field, or with an input that is not an object, fails with the reason", async () => {
  const usual = { name: "x", event: "PreToolUse", tool: "Bash", expect: { decision: "none" } };
  const cases = [
    { ...usual, inptu: { command: "rm x" } },
    { ...usual, input: "rm x" },
    { ...usual, tool: 1 },
  ];
  const { status, out } = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": JSON.stringify(cases) }));
  const faults = [
    'Unknown field "inptu" in a case. Did you mean "input"?',
    "input must be an object",
    "tool must be a string",
  ];
  const printed = faults.map((fault, at) => `FAILED  x\n  Case ${at + 1} of a.json: ${fault}\n`).join("");
  expect([status, out]).toEqual([3, `${printed}3 cases, 3 failed\n`]);
});

test("a case without event or expect fails with its number and name, and the other cases run", async () => {
  const usual = { event: "Stop", expect: { decision: "none" } };
  const cases = [{ ...usual, name: "good" }, { name: "forgotten", event: "Stop" }, { expect: {} }, "text", usual];
  const { status, out } = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": JSON.stringify(cases) }));
  expect([status, out.split("\n")]).toEqual([
    3,
    [
      "ok      good",
      "FAILED  forgotten",
      "  Case 2 of a.json: a case requires expect, an object with fields of the answer",
      "FAILED  a.json",
      "  Case 3 of a.json: a case requires event, the name of an event",
      "FAILED  a.json",
      "  Case 4 of a.json: a case requires event, the name of an event",
      "ok      a.json",
      "5 cases, 3 failed",
      "",
    ],
  ]);
});

test("names of cases and handlers, errors and answers reach no terminal as control sequences", async () => {
  const throwing = hooks.replace('"guard"', '"guard\\u001b[31m"').replace('deny("no rm")', "input.command.rm()");
  const one = {
    name: "rm\u001b[31m",
    event: "PreToolUse",
    tool: "Bash",
    input: { command: "rm" },
    expect: { decision: "deny" },
  };
  const folder = project({ "hooks.ts": throwing, "hooks-tests/a.json": JSON.stringify(one) });
  const { status, out } = await run(folder);
  expect([status, out]).toEqual([3, expect.stringMatching(/FAILED {2}rm␛\[31m.*guard␛\[31m {2}failed/s)]);
  expect(out).not.toContain("\u001b");
});

test("a list without cases exits with 2, with --json too", async () => {
  const folder = project({ "hooks.ts": hooks, "hooks-tests/a.json": "[]" });
  const plain = await run(folder);
  expect([plain.status, plain.err]).toEqual([2, expect.stringContaining("these files contain no cases")]);
  const json = await run(folder, "--json");
  expect([json.status, JSON.parse(json.out)]).toMatchObject([2, { ok: false, cases: [] }]);
});

test("a missing file, a directory and a hooks file are each rejected with the reason", async () => {
  const folder = project({ "hooks.ts": hooks });
  const says = async (...words: string[]) => {
    const { status, err } = await run(folder, ...words);
    return [status, err.split(". ")[0]?.replace(folder, "")];
  };
  expect(await says("gone.json")).toEqual([1, "hookline: /gone.json does not exist"]);
  expect(await says(".claude")).toEqual([1, "hookline: /.claude is not a file"]);
  expect(await says(".claude/hooks.ts")).toEqual([1, "hookline: /.claude/hooks.ts is not a test"]);
  expect(await says("--input", "{}")).toEqual([1, "hookline: --input requires --event"]);
});

test("programs run with Node's own runner, TypeScript too", async () => {
  const text = (wanted: number) => `import test from "node:test";
import assert from "node:assert";
test("sum", () => assert.equal(1 + 1, ${wanted} as number));
`;
  expect((await run(project({ "a.test.ts": text(2) }))).status).toBe(0);
  const failed = await run(project({ "a.test.ts": text(3) }));
  expect(failed.status).toBe(3);
  // It named the built file, and a line that is not in the source.
  expect(failed.out).toContain(".claude/a.test.ts:3");
});

test("when the test runner itself fails, every program without a result is a failed test with the error", async () => {
  const text = 'import test from "node:test";\ntest("a", () => {});\n';
  const folder = project({ "a.test.mjs": text, "b.test.mjs": text });
  // The reporter, and nothing else, is started with this argument.
  const broken = join(folder, "broken.cjs");
  writeFileSync(
    broken,
    `if (process.execArgv.concat(process.argv).some((one) => one.includes("--test-reporter"))) throw new RangeError("no reporter");`,
  );
  const env = { PATH: process.env["PATH"], HOME: folder, HOOKLINE_HOME: join(folder, "state") };
  const call = (...words: string[]) =>
    callHookline(["test", ...words], { home: folder, env: { ...env, NODE_OPTIONS: `--require=${broken}` } });
  const failed = (name: string) => {
    const file = join(folder, ".claude", name);
    return { file, name: file, ok: false, ms: 0, error: "The test runner failed: RangeError: no reporter" };
  };
  const { status, out } = await call("--json");
  expect([status, JSON.parse(out)]).toEqual([
    3,
    { ok: false, cases: [], tests: [failed("a.test.mjs"), failed("b.test.mjs")], warnings: [] },
  ]);
  const shown = await call();
  expect(shown.status).toBe(3);
  expect(shown.out).toContain(`✖ ${failed("b.test.mjs").file}\n  The test runner failed: RangeError: no reporter\n`);
  expect(shown.out).toContain("2 tests, 2 failed\n");
});

test("--json prints one object of cases and tests, or the answer to one event; other output stays out of it", async () => {
  const loud = `process.stdout.write("loud");\n${hooks}`;
  const cases = [
    { name: "rm", event: "PreToolUse", tool: "Bash", input: { command: "rm x" }, expect: { decision: "ask" } },
    { name: "typo", event: "PreTool", expect: { decision: "deny" } },
  ];
  const program = `import test, { describe } from "node:test";
console.log("loud");
describe("sums", () => { test("good", () => {}); test.skip("later", () => {}); test("bad", () => { throw new Error("no " + (1 as number)); }); });
`;
  const files = { "hooks.ts": loud, "a.test.ts": program, "hooks-tests/a.json": JSON.stringify(cases) };
  const folder = project(files);
  const aside = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const mixed = vi.spyOn(process.stdout, "write");
  onTestFinished(() => void vi.restoreAllMocks());
  const all = await run(folder, "--json");
  const file = join(folder, ".claude/a.test.ts");
  const ms = expect.any(Number);
  expect([all.status, JSON.parse(all.out)]).toEqual([
    3,
    {
      ok: false,
      cases: [
        {
          file: join(folder, ".claude/hooks-tests/a.json"),
          name: "rm",
          event: "PreToolUse",
          ok: false,
          faults: ['decision is "deny", expected "ask"'],
          answer: expect.objectContaining({ decision: "deny", trace: [expect.objectContaining({ name: "guard" })] }),
        },
        expect.objectContaining({ name: "typo", ok: false, faults: [expect.any(String)], answer: null }),
      ],
      tests: [
        { file, name: "sums > good", ok: true, ms },
        { file, name: "sums > later", ok: true, ms, skipped: true },
        { file, name: "sums > bad", ok: false, ms, error: "no 1" },
      ],
      warnings: [],
    },
  ]);
  const one = await run(folder, "--json", "--event", "Stop");
  expect([one.status, JSON.parse(one.out)]).toMatchObject([
    0,
    { event: "Stop", ms, decision: "none", blocked: false, wire: null, stdout: "", exitCode: 0, trace: [] },
  ]);
  expect([aside.mock.calls, mixed.mock.calls]).toEqual([[["loud"]], []]);
  const none = await run(project({}), "--json");
  expect([none.status, JSON.parse(none.out)]).toEqual([2, { ok: false, cases: [], tests: [], warnings: [] }]);
});

test("--event shows handlers, answer and wire", async () => {
  const shown = await run(
    project({ "hooks.ts": hooks }),
    "--event",
    "PreToolUse:Bash",
    "--input",
    '{"command":"rm x"}',
  );
  expect(shown.status).toBe(0);
  expect(shown.out).toMatch(
    /^PreToolUse {2}deny, [\d.]+ ms\n {2}guard {2}answered deny, .*\n {2}exit 0 {2}\{"hookSpecificOutput"/,
  );
});

test("--event warns about payload fields that the event does not have, with the nearest one", async () => {
  const folder = project({ "hooks.ts": hooks });
  const shown = await run(folder, "--event", "UserPromptSubmit", "--input", '{"promt":"hi","session_id":"s"}');
  expect([shown.status, shown.err]).toEqual([
    0,
    'hookline: warning: Unknown field "promt" in a payload of UserPromptSubmit. Did you mean "prompt"?\n',
  ]);
  const tool = await run(folder, "--event", "PreToolUse", "--input", '{"command":"rm"}', "--json");
  expect([tool.status, tool.err]).toEqual([
    0,
    'hookline: warning: Unknown field "command" in a payload of PreToolUse. For the input of a tool, name the tool: PreToolUse:Bash.\n',
  ]);
  const known = await run(folder, "--event", "PreToolUse:Bash", "--input", '{"command":"ls","x":1}');
  expect([known.status, known.err]).toEqual([0, ""]);
});

test("a case with payload fields that the event does not have runs with a warning", async () => {
  const one = { name: "hi", event: "UserPromptSubmit", input: { promt: "hi" }, expect: { decision: "none" } };
  const folder = project({ "hooks.ts": hooks, "hooks-tests/a.json": JSON.stringify(one) });
  const warning =
    'hookline: warning: hi: Unknown field "promt" in a payload of UserPromptSubmit. Did you mean "prompt"?\n';
  for (const words of [[], ["--json"]]) {
    const { status, err } = await run(folder, ...words);
    expect([status, err]).toEqual([0, warning]);
  }
});

test("a test file that cannot be built or read is a failed test, the others run, and the status is 1", async () => {
  const good = `import test from "node:test";\ntest("good", () => undefined);\n`;
  const one = { name: "rm", event: "PreToolUse", tool: "Bash", input: { command: "rm" }, expect: { decision: "deny" } };
  const folder = project({
    "hooks.ts": hooks,
    "broken.test.ts": "const = ;\n",
    "good.test.ts": good,
    "hooks-tests/a.json": "{",
    "hooks-tests/b.json": JSON.stringify(one),
  });
  const broken = join(folder, ".claude/broken.test.ts");
  const reported = await run(folder, "--json");
  expect([reported.status, JSON.parse(reported.out)]).toEqual([
    1,
    expect.objectContaining({
      ok: false,
      cases: [
        expect.objectContaining({ name: "a.json", ok: false, faults: [expect.stringContaining("cannot be read: ")] }),
        expect.objectContaining({ name: "rm", ok: true }),
      ],
      tests: [
        { file: broken, name: broken, ok: false, ms: 0, error: expect.stringContaining("broken.test.ts") },
        expect.objectContaining({ name: "good", ok: true }),
      ],
    }),
  ]);
  const shown = await run(folder);
  expect(shown.status).toBe(1);
  expect(shown.out).toContain(`✖ ${broken}\n`);
  expect(shown.out).toContain("2 cases and 2 tests, 2 failed\n");
  rmSync(join(folder, ".claude/good.test.ts"));
  expect((await run(folder, broken)).status).toBe(1);
});

test("a case that expects a denial fails when the handler failed, unless it has the reason", async () => {
  const crashing = `import { createApp } from "hookline/sdk";
export default createApp({ onFailure: "block" }).preTool("Bash", { name: "guard" }, () => { throw "boom"; });
`;
  const sent = { event: "PreToolUse", tool: "Bash", input: { command: "rm" } };
  const cases = [
    { name: "deny", ...sent, expect: { decision: "deny" } },
    { name: "blocked", ...sent, expect: { blocked: true } },
    { name: "reason", ...sent, expect: { decision: "deny", reason: "guard failed: boom" } },
  ];
  const { status, out } = await run(project({ "hooks.ts": crashing, "hooks-tests/a.json": JSON.stringify(cases) }));
  expect([status, out.split("\n").filter((line) => /^(?:ok|FAILED)/.test(line))]).toEqual([
    3,
    ["FAILED  deny", "FAILED  blocked", "ok      reason"],
  ]);
  expect(out).toContain("but this is a failure: guard failed: boom. To expect a failure, add its reason.\n");
});

test("an unknown event is rejected, unless the app has a handler for it", async () => {
  const own = `${hooks.replace("export default createApp()", "const app = createApp()")}
app.on("BrandNew", { name: "new" }, ({ raw }) => ({ kind: "systemMessage", text: String(raw["colour"]) }));
export default app;
`;
  const cases = [
    { name: "typo", event: "PreTool", expect: {} },
    { name: "own", event: "BrandNew", input: { colour: "red" }, expect: { systemMessages: ["red"], continue: true } },
  ];
  const folder = project({ "hooks.mjs": own, "hooks-tests/a.json": JSON.stringify(cases) });
  const ran = await run(folder);
  expect([ran.status, ran.out]).toEqual([
    3,
    'FAILED  typo\n  Unknown event "PreTool", and no handler is registered for it. Did you mean "PreToolUse"?\nok      own\n2 cases, 1 failed\n',
  ]);
  const shown = await run(folder, "--event", "Nothing");
  expect([shown.status, shown.err]).toEqual([1, expect.stringContaining('Unknown event "Nothing"')]);
});

test("test and test --event show every warning: an answer that was dropped, and a handler that never runs", async () => {
  const folder = project({
    "hooks.ts": `import { createApp, updateOutput } from "hookline/sdk";
export default createApp()
  .preTool("Bash", { name: "late" }, () => updateOutput("x") as never)
  .preTool("bash", () => undefined);
`,
    "hooks-tests/a.json": JSON.stringify({
      ...{ name: "ls", event: "PreToolUse", tool: "Bash", input: { command: "ls" } },
      expect: { decision: "none" },
    }),
  });
  const dropped = "warning illegal-answer: late: updateOutput is not supported on PreToolUse and was dropped.";
  const never = 'warning never-runs: A handler of PreToolUse for "bash" never runs. Did you mean "Bash"?';
  const event = ["--event", "PreToolUse:Bash", "--input", '{"command":"ls"}'];
  const one = await run(folder, ...event);
  expect(one.out).toContain(`\n  ${dropped}`);
  expect(one.out).toContain(`\n  ${never}`);
  const { warnings } = JSON.parse((await run(folder, ...event, "--json")).out) as { warnings: { code: string }[] };
  expect(warnings.map(({ code }) => code)).toEqual(["illegal-answer", "never-runs"]);
  const all = await run(folder);
  expect(all.status).toBe(0);
  expect(all.out).toContain(`ok      ls\n  ${dropped}`);
  expect(all.err).toBe(`hookline: ${never}\n`);
  const report = JSON.parse((await run(folder, "--json")).out) as { warnings: { code: string }[] };
  expect(report.warnings.map(({ code }) => code)).toEqual(["never-runs"]);
});

test("the test client shows warnings when hookline test runs a program", async () => {
  vi.stubEnv("HOOKLINE_TEST_WARNINGS", "1");
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => void vi.unstubAllEnvs());
  onTestFinished(() => written.mockRestore());
  const client = testClient(createApp().preTool("Bash", { name: "late" }, () => updateOutput("x") as never));
  for (const command of ["ls", "pwd"]) await client.preTool("Bash", { command });
  expect(written.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/^warning illegal-answer: late: updateOutput is not supported on PreToolUse/),
  ]);
});

test("a program whose hooks file exports no app fails at its own line, without code of this package", async () => {
  const program = 'import { testClient } from "hookline/testing";\nimport app from "./hooks.ts";\ntestClient(app);\n';
  const { status, out } = await run(project({ "hooks.ts": "", "a.test.ts": program, "package.json": "{}" }));
  expect(status).toBe(1);
  expect(out.replaceAll(/\/\S+(?=\.claude)/g, "")).toBe(
    '✖ .claude/a.test.ts\n  .claude/a.test.ts:3: testClient needs the value of createApp(). A hooks file ends with "export default app;".\n1 test, 1 failed\n',
  );
});

test.each([
  [
    'createApp({ onFailure: "blok" })',
    'The option "onFailure" of createApp is "blok"; it must be "block" or "continue".',
  ],
  [
    'createApp().preTool("Bash", { name: "guard", onFailur: "block" }, () => undefined)',
    'guard has no option "onFailur". Did you mean "onFailure"?',
  ],
])("a hooks file with %s is one message under the name of the test file, and the status is 1", async (app, message) => {
  const folder = project({
    "hooks.ts": `import { createApp } from "hookline/sdk";\nexport default ${app};\n`,
    "a.test.ts": 'import test from "node:test";\nimport "./hooks.ts";\ntest("a", () => {});\n',
  });
  const { status, out, err } = await run(folder);
  const file = join(folder, ".claude/a.test.ts");
  // Here the place is in this package, which is not the one that the hooks file loads.
  const said = (text: string) => text.replaceAll(/\S+:2: /g, "");
  expect([status, said(out), said(err)]).toEqual([
    1,
    `✖ ${file}\n  ${message}\n1 test, 1 failed\n`,
    `hookline: warning app-failed: ${message}\n`,
  ]);
  const { tests } = JSON.parse((await run(folder, "--json")).out) as { tests: unknown };
  expect(tests).toEqual([{ file, name: file, ok: false, ms: 0, error: expect.stringContaining(message) }]);
});

test("a hooks file that throws exits with 1, as one with a syntax error does, and the failed test has the name of its file", async () => {
  const program = 'import test from "node:test";\nimport "./hooks.ts";\ntest("a", () => {});\n';
  const thrown = await run(project({ "hooks.ts": 'throw new Error("no");\n', "a.test.ts": program }));
  expect([thrown.status, thrown.out]).toEqual([1, expect.stringMatching(/^✖ \.claude\/a\.test\.ts /m)]);
  expect((await run(project({ "hooks.ts": "const = ;\n", "a.test.ts": program }))).status).toBe(1);
});

test("the last line counts cases and tests of programs together", async () => {
  const files = {
    "hooks.ts": hooks,
    "hooks-tests/a.json": JSON.stringify({
      name: "rm",
      event: "PreToolUse",
      tool: "Bash",
      input: { command: "rm x" },
      expect: { decision: "allow" },
    }),
    "a.test.mjs": 'import test from "node:test";\ntest("one", () => undefined);\ntest("two", () => undefined);\n',
  };
  const both = await run(project(files));
  expect(both.status).toBe(3);
  expect(both.out).toMatch(/✔ one [\s\S]*✔ two [^\n]*\n1 case and 2 tests, 1 failed\n$/);
  const broken = await run(project({ "a.test.mjs": 'throw new Error("at once");\n' }));
  expect([broken.status, broken.out.trimEnd().split("\n").at(-1)]).toEqual([3, "1 test, 1 failed"]);
});
