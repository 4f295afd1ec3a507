import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReplayReport } from "../../src/replay/internal.ts";
import { app } from "../sdk/guard-app.ts";
import { guard, type Machine, machine, unchanged } from "./program.ts";

let world: Machine;
beforeAll(() => {
  world = machine();
});
afterAll(() => world.remove());

describe("the report over the recorded transcripts", () => {
  test("it counts the calls and lists what would have been denied, asked and changed", async () => {
    const file = world.file(".claude/hooks.ts", guard);
    const report = await world.replay("--all");
    expect({
      ...report,
      handlers: report.handlers.map(({ name, calls, outcomes }) => ({ name, calls, outcomes })),
    }).toEqual({
      hooks: file,
      files: 21,
      bytes: expect.any(Number),
      sessions: 15,
      toolCalls: 45,
      prompts: 31,
      repeated: 51,
      unreadableLines: 0,
      unread: [],
      events: [
        { event: "UserPromptSubmit", seen: 31, decisions: { none: 30, block: 1 }, ...unchanged },
        { event: "PreToolUse", seen: 45, decisions: { none: 43, ask: 1, deny: 1 }, ...unchanged, inputsChanged: 1 },
        { event: "PostToolUse", seen: 40, decisions: { none: 40 }, ...unchanged },
        { event: "PostToolUseFailure", seen: 2, decisions: { none: 2 }, ...unchanged },
      ],
      handlers: [
        { name: "no-please", calls: 31, outcomes: { passed: 30, answered: 1 } },
        { name: "no-touch", calls: 31, outcomes: { passed: 30, answered: 1 } },
        { name: "careful", calls: 31, outcomes: { passed: 29, answered: 1, "not-reached": 1 } },
        { name: "signed", calls: 1, outcomes: { answered: 1 } },
      ],
      listed: [
        place(
          "2026-11-15T06:36:57.234Z",
          "b37b4d9a-5866-4ba4-a605-def302147573",
          "touch made.txt && echo RAN",
          "deny",
          "No touching.",
        ),
        {
          at: "2026-11-15T06:45:03.130Z",
          session: "a8ca7ae6-2245-4889-a8b3-2c753f65fc30",
          event: "UserPromptSubmit",
          input: "forked prompt",
          decision: "block",
          reason: "No forks.",
        },
        place(
          "2026-11-15T06:45:27.596Z",
          "501a101c-7ecf-4bd9-a106-13be7d54c3a1",
          "sleep 3; echo waited",
          "ask",
          "This waits.",
        ),
      ],
      listedInAll: 3,
      refusedThen: 0,
      notReplayed: [],
      changes: [
        {
          at: "2026-11-15T06:44:23.820Z",
          session: "11111111-1111-4111-8111-111111111111",
          event: "PreToolUse",
          tool: "Write",
          input: "/home/dev/project/new.txt",
          before: { file_path: "/home/dev/project/new.txt", content: "n\n" },
          after: { file_path: "/home/dev/project/new.txt", content: "n\nsigned" },
        },
      ],
      changesInAll: 1,
      effects: [],
      tasks: [],
      failures: [],
      missing: [
        { part: "effort", events: 87 },
        { part: "duration_ms", events: 42 },
        { part: "permission_mode", events: 4 },
        { part: "tool_response (only its text)", events: 2 },
      ],
    });
    for (const { medianMs = 0, p95Ms = 0, maxMs = 0 } of report.handlers) {
      expect(medianMs <= p95Ms && p95Ms <= maxMs && maxMs > 0).toBe(true);
    }
  });

  test("the text form fits the line width and shows inputs as diffs", async () => {
    world.file(".claude/hooks.ts", guard);
    const { stdout, code } = await world.hookline(["replay", "--all"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "It would have denied 1 of 45 calls, asked about 1, changed the input of 1, blocked 1 of 31 prompts.",
    );
    expect(stdout).toContain("  + signed");
    expect(stdout).toMatch(
      /2026-11-15 06:36 {2}b37b4d9a {2}Bash {6}deny {4}touch made\.txt && echo RAN {2,}No touching\./,
    );
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});
const place = (at: string, session: string, input: string, decision: string, reason: string) => ({
  at,
  session,
  event: "PreToolUse",
  tool: "Bash",
  input,
  decision,
  reason,
});

describe("nothing is executed", () => {
  test("state is a copy, tasks are recorded, git is unavailable", async () => {
    const file = world.file(
      "parts.mjs",
      app(
        `
const mail = app.task("mail", () => { throw new Error("ran"); });
app.onPrompt({ name: "all" }, async (event, { state, tasks, git, path }) => {
  await tasks.add(mail, {});
  const branch = await git.branch().catch((error) => error.code);
  return sdk.context([await state.user.get("kept"), await tasks.pop(mail), branch, path("a")].join(" "));
});`,
        `{ stateDir: ${JSON.stringify(join(world.project, "kept"))} }`,
      ),
    );
    const kept = world.file("kept/user/user.json", `{"kept":{"value":"copied"}}\n`);
    const words = ["--project", "/home/dev/a-plain", "--against", world.file("silent.mjs", app(""))];
    const inside = { CLAUDE_PROJECT_DIR: world.project };
    const { stdout } = await world.hookline(["replay", file, ...words, "--json"], inside);
    const report = JSON.parse(stdout) as ReplayReport;
    expect(report.against?.list.map(({ now }) => now.contexts)).toEqual([
      ["copied  sdk/unavailable /home/dev/project/a"],
    ]);
    expect(report.tasks).toEqual([{ name: "mail", count: 1 }]);
    expect(readFileSync(kept, "utf8")).toBe(`{"kept":{"value":"copied"}}\n`);
  });

  test("--allow-effects runs the handler with its effects", async () => {
    const trace = join(world.project, "allowed");
    const file = world.file(
      "allowed.mjs",
      app(`import fs from "node:fs"; app.onPrompt(() => fs.writeFileSync(${JSON.stringify(trace)}, "x"));`),
    );
    await world.replay(file, "--project", "/home/dev/a-plain");
    expect(existsSync(trace)).toBe(false);
    await world.replay(file, "--project", "/home/dev/a-plain", "--allow-effects");
    expect(existsSync(trace)).toBe(true);
  });

  test("an app with effects at load time is reported", async () => {
    const trace = join(world.project, "at-load");
    world.file("at-load.mjs", app(`import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(trace)}, "x");`));
    const { code, stderr } = await world.hookline(["replay", "at-load.mjs", "--all"]);
    expect([code, stderr, existsSync(trace)]).toEqual([
      1,
      expect.stringContaining("--allow-effects permits them"),
      false,
    ]);
  });
});

test("an app of which no handler was called is reported with every handler", async () => {
  world.file(
    ".claude/hooks.ts",
    app(`app.preTool(["NotebookEdit", "mcp__db__*"], { name: "no-notebooks" }, () => sdk.deny("No."));
app.onStop({ name: "tests-on-stop" }, () => undefined);`),
  );
  expect((await world.replay("--all")).handlers).toEqual([
    { name: "no-notebooks", calls: 0, outcomes: {}, event: "PreToolUse", what: ["NotebookEdit", "mcp__db__*"] },
    { name: "tests-on-stop", calls: 0, outcomes: {}, event: "Stop" },
  ]);
  const { stdout } = await world.hookline(["replay", "--all"]);
  expect(stdout).toMatch(
    /^No handler of this app was called\.\n45 tool calls and .*\nIt would have denied 0 of 45 calls\.\n/,
  );
  expect(stdout).toContain(`
no-notebooks   0 calls: no PreToolUse of NotebookEdit, mcp__db__* reached it
tests-on-stop  0 calls: transcripts do not contain Stop
`);
});

test("the report names handlers that are not replayed, and denied calls that were denied at the time too", async () => {
  world.file(
    ".claude/hooks.ts",
    app(`app.preTool({ name: "no" }, () => sdk.deny("No."));
app.onStop({ name: "tests-on-stop" }, () => undefined);
app.onSessionStart(() => undefined);`),
  );
  const report = await world.replay("--all", "--event", "PreToolUse");
  expect(report.notReplayed).toEqual([
    { event: "Stop", name: "tests-on-stop" },
    { event: "SessionStart", name: "SessionStart#1" },
  ]);
  const then = report.listed.filter(({ refusedThen }) => refusedThen === true);
  expect([report.listed.length, then.length]).toEqual([45, report.refusedThen]);
  expect(report.refusedThen).toBeGreaterThan(0);
  const times = report.listed.map(({ at }) => at ?? "");
  expect(times).toEqual([...times].sort());
});

test("--tool with a name that does not occur names the tools that do, and the nearest one", async () => {
  world.file(".claude/hooks.ts", guard);
  const { code, stdout, stderr } = await world.hookline(["replay", "--all", "--tool", "bash", "--json"]);
  const report = JSON.parse(stdout) as ReplayReport;
  expect([code, report.toolCalls, report.toolsNotFound]).toEqual([
    0,
    0,
    [{ tool: "bash", meant: "Bash", occurring: expect.arrayContaining(["Bash", "Write"]) }],
  ]);
  expect(stderr).toMatch(
    /^hookline: No call of "bash" was found; tools that occur: .*Bash.*\. Did you mean "Bash"\?\n$/,
  );
  expect((await world.replay("--all", "--tool", "Bash")).toolsNotFound).toBeUndefined();
});
