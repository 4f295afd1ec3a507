import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

let base = "";

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookline-check-")));
  mkdirSync(join(base, "home/.claude"), { recursive: true });
  mkdirSync(join(base, "proj/.claude"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function run(args: readonly string[], stdin = "") {
  const env = { PATH: "/usr/bin" };
  return callHookline(["check", ...args], { home: join(base, "home"), cwd: join(base, "proj"), env, stdin });
}

const bash = (command: string) => ["Bash", "--input", JSON.stringify({ command })];

function settings(where: string, permissions: object): void {
  writeFileSync(join(base, where, ".claude/settings.json"), JSON.stringify({ permissions }));
}

test("check prints the decision, one line per part, the reason, and what would allow it", async () => {
  settings("home", { allow: ["Bash(git *)"] });
  const { status, out, err } = await run(bash("git log > notes.txt && npm test"));
  expect({ status, err }).toEqual({ status: 0, err: "" });
  expect(out).toBe(
    [
      "ask      Bash    git log > notes.txt && npm test",
      "  allow  git log      Bash(git *)    user, ~/.claude/settings.json",
      "  ask    > notes.txt  no Edit rule covers ./notes.txt; mode default asks before edits",
      "  ask    npm test     no rule",
      "  2 of 3 parts are not covered. Rules that would allow it: Edit(./notes.txt)  Bash(npm test)",
      "",
    ].join("\n"),
  );
});

test("--json prints the documented fields", async () => {
  const { out } = await run([...bash("git log"), "--allow", "Bash(git *)", "--json", "--no-settings"]);
  const rule = { text: "Bash(git *)", list: "allow", scope: "flags", file: null };
  expect(JSON.parse(out)).toEqual({
    tool: "Bash",
    decision: "allow",
    reason: "Bash(git *) covers it",
    wouldAsk: false,
    by: "rule",
    mode: "default",
    rule,
    complete: true,
    problems: [],
    parts: [
      {
        kind: "command",
        text: "git log",
        at: [0, 7],
        head: "git",
        dynamic: false,
        via: [],
        cwd: join(base, "proj"),
        decision: "allow",
        rule,
        why: "Bash(git *) covers it",
      },
    ],
    paths: [],
    suggestions: [],
    warnings: [],
  });
});

test("--exit-code maps deny to 2 and ask to 3; without it the status is 0", async () => {
  const statuses = async (...more: string[]) => [
    (await run([...bash("ls"), ...more])).status,
    (await run([...bash("npm x"), ...more])).status,
    (await run([...bash("npm x"), "--deny", "Bash(npm *)", ...more])).status,
  ];
  expect(await statuses("--exit-code")).toEqual([0, 3, 2]);
  expect(await statuses()).toEqual([0, 0, 0]);
});

test("--input - reads the input from standard input", async () => {
  expect(await run(["Bash", "--input", "-"], '{"command":"ls"}')).toMatchObject({
    status: 0,
    out: "allow    Bash    ls\n  allow  ls  it only reads\n",
  });
});

test("a call that cannot be made exits with 1, with a message and no output", async () => {
  const calls = [
    [],
    ["Bash"],
    ["Bash", "--input", "nonsense"],
    ["Bash", "--input", "[]"],
    ["Bash", "x", "--input", "{}"],
    [...bash("ls"), "--path-case", "odd"],
    [...bash("ls"), "--settings", "not-there.json"],
    [...bash("ls"), "--batch"],
  ];
  for (const args of calls)
    expect(await run(args)).toMatchObject({ status: 1, out: "", err: expect.stringMatching(/^hookline: /) });
});

test("--batch answers each line in order and continues after an invalid one", async () => {
  const lines = [
    '{"tool":"Bash","input":{"command":"ls"}}',
    "nonsense",
    "",
    '{"tool":"Nobody","input":{}}',
    '{"tool":"Bash","input":5}',
  ];
  const { status, out } = await run(["--batch", "--json"], lines.join("\n"));
  const answers = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { decision?: string; error?: string });
  expect(answers.map(({ decision, error }) => decision ?? typeof error)).toEqual(["allow", "string", "ask", "string"]);
  expect(status).toBe(1);
  const plain = await run(
    ["--batch", "--exit-code", "--deny", "Bash(rm *)"],
    '{"tool":"Bash","input":{"command":"rm x"}}\n',
  );
  expect(plain).toEqual({ status: 2, out: "deny\tBash\tBash(rm *) denies it\n", err: "" });
});

test("a call of --batch is one line whatever its text contains, and CRLF ends a line too", async () => {
  const line = JSON.stringify({ tool: "Bash", input: { command: "rm \u2028 \u2029 x" } });
  const { status, out } = await run(["--batch", "--json", "--deny", "Bash(rm *)"], `${line}\r\n${line}`);
  const decisions = out
    .trimEnd()
    .split("\n")
    .map((one) => (JSON.parse(one) as { decision: string }).decision);
  expect([status, decisions]).toEqual([0, ["deny", "deny"]]);
});

test("what a project restricts counts at once, what it grants waits for trust", async () => {
  settings("proj", { allow: ["Bash(npm *)"], deny: ["Bash(git push *)"], defaultMode: "bypassPermissions" });
  const decision = async (command: string) =>
    (JSON.parse((await run([...bash(command), "--json"])).out) as { decision: string }).decision;
  expect([await decision("npm test"), await decision("git push x")]).toEqual(["ask", "deny"]);
});

test("settings in effect are protected, and --settings files count", async () => {
  writeFileSync(join(base, "proj/team.json"), JSON.stringify({ permissions: { allow: ["Edit(/**)"] } }));
  const write = async (file: string) =>
    (
      JSON.parse(
        (await run(["Write", "--input", JSON.stringify({ file_path: file }), "--settings", "team.json", "--json"])).out,
      ) as { decision: string }
    ).decision;
  expect([await write("a.ts"), await write("team.json"), await write(".claude/settings.json")]).toEqual([
    "allow",
    "ask",
    "ask",
  ]);
});

test("--mode, --unattended and --shell reach the judgment", async () => {
  const judged = async (...args: string[]) =>
    JSON.parse((await run([...bash("npm x"), "--json", ...args])).out) as object;
  expect(await judged("--mode", "bypassPermissions")).toMatchObject({ decision: "allow", mode: "bypassPermissions" });
  expect(await judged("--unattended")).toMatchObject({ decision: "deny", wouldAsk: true, by: "unattended" });
  expect(await judged("--shell", "zsh", "--allow", "Bash(npm *)")).toMatchObject({ decision: "ask", complete: false });
  expect(await judged("--shell", "zsh", "--allow", "Bash(npm x)")).toMatchObject({ decision: "allow" });
});

test("an unknown mode is refused, and a misspelled tool is judged with a hint", async () => {
  expect(await run([...bash("ls"), "--mode", "plam"])).toEqual({
    status: 1,
    out: "",
    err: 'hookline: Unknown permission mode "plam". Valid modes: default, acceptEdits, plan, dontAsk, bypassPermissions, auto.\n',
  });
  const misspelled = await run(["bash", "--input", '{"command":"ls"}']);
  expect([misspelled.status, misspelled.err]).toEqual([0, 'hookline: Unknown tool "bash". Did you mean "Bash"?\n']);
  expect(misspelled.out).not.toContain("Rules that would allow it");
  expect((await run(["mcp__files__read", "--input", "{}"])).err).toBe("");
});

test("escapes in a command are shown as symbols", async () => {
  const { out } = await run(bash("echo \u001b]0;x\u0007 \u202e\u009b2J\nrm"));
  expect(out).not.toMatch(/[\u001b\u0007\u202e\u009b]/);
  expect(out.split("\n")[0]).toContain("␛]0;x␇ ‹U+202E›‹U+009B›2J⏎rm");
});

test("--batch and --no-settings keep no warning about rules to themselves", async () => {
  const line = JSON.stringify({ tool: "Bash", input: { command: "ls" } });
  const batch = await run(["--batch", "--deny", "bash(rm *)"], `${line}\n${line}\n`);
  expect(batch.out.split("\n").length).toBe(3);
  expect(batch.err.split("\n").map((text) => text.split(": ")[1])).toEqual(["rule-invalid", undefined]);
  settings("home", { deny: 1 });
  const file = join(base, "mine.json");
  writeFileSync(file, JSON.stringify({ permission: { deny: ["Bash(rm *)"] } }));
  const { err } = await run([...bash("ls"), "--no-settings", "--settings", file]);
  expect(err).toBe(
    `hookline: settings-invalid: "permission" in ${file} is not a settings key; what it denies or asks about is asked about. Use permissions instead.\n`,
  );
  writeFileSync(file, JSON.stringify({ allowManagedPermissionRulesOnly: true }));
  const policy = await run([...bash("ls"), "--no-settings", "--settings", file]);
  expect(policy.err).toContain("hookline: policy-key-ignored: allowManagedPermissionRulesOnly");
});
