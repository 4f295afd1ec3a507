import { expect, test } from "vitest";
import type { ReplayReport } from "../../replay/internal.ts";
import { replayText, toolsNotFoundText } from "./replay-report.ts";
import { displayWidth } from "./table.ts";
import type { Style } from "./terminal.ts";

const plain = (text: string) => text;
const style: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, blue: plain, cyan: plain };

const place = {
  at: "2026-01-02T03:04:05Z",
  session: "0a1b2c3d-0000-4000-8000-000000000000",
  event: "PreToolUse",
} as const;
const report: ReplayReport = {
  hooks: "/p/hooks.ts",
  files: 48,
  bytes: 61_200_000,
  sessions: 31,
  toolCalls: 1_214,
  prompts: 96,
  repeated: 12,
  unreadableLines: 1,
  unread: [],
  events: [
    {
      event: "PreToolUse",
      seen: 1_214,
      decisions: { deny: 3, halt: 1, ask: 11, allow: 2, none: 1_190, "effect-refused": 7 },
      inputsChanged: 1,
      outputsChanged: 0,
      contexts: 4,
    },
    { event: "PostToolUse", seen: 900, decisions: { none: 900 }, inputsChanged: 0, outputsChanged: 2, contexts: 0 },
  ],
  handlers: [
    {
      name: "a-handler-with-quite-a-long-name\u001b[31m",
      calls: 1_214,
      outcomes: {
        answered: 14,
        passed: 1_190,
        skipped: 1,
        failed: 2,
        "timed-out": 1,
        "not-reached": 3,
        "effect-refused": 3,
      },
      medianMs: 0.2,
      p95Ms: 12.4,
      maxMs: 1_234,
    },
  ],
  listed: [
    {
      ...place,
      tool: "mcp__github__create_pull_request",
      input: `rm -rf ${"x".repeat(300)}`,
      decision: "deny",
      reason: "No \u202eway. ".repeat(30),
    },
  ],
  listedInAll: 15,
  refusedThen: 0,
  notReplayed: [],
  changes: [
    { ...place, tool: "Bash", input: "ls", before: { command: "ls" }, after: { command: `ls ${"-a ".repeat(100)}` } },
  ],
  changesInAll: 1,
  effects: [{ kind: "write", target: `/p/${"deep/".repeat(50)}`, handler: "writer", count: 2 }],
  tasks: [{ name: "notify/send", count: 3 }],
  failures: [{ handler: "h", error: "boom ".repeat(40), count: 2 }],
  missing: [
    { part: "effort", events: 2_114 },
    { part: "tool_response (only its text)", events: 12 },
  ],
};

const against: ReplayReport = {
  ...report,
  against: {
    hooks: "git:HEAD~1",
    differing: 3,
    decisions: { deny: 3 },
    list: [
      {
        ...place,
        tool: "Bash",
        input: "rm -rf build",
        before: { decision: "none" },
        now: { decision: "deny", reason: "No.", contexts: ["because ".repeat(40)] },
      },
    ],
  },
};

test("the verdict comes first, in one sentence", () => {
  expect(replayText(report, { style, columns: 200 }).split("\n").slice(0, 2)).toEqual([
    "1,214 tool calls and 96 prompts from 31 sessions, 48 files, 61.2 MB",
    "It would have denied 4 of 1,214 calls, asked about 11, changed the input of 1, changed the output of 2.",
  ]);
  expect(replayText(against, { style, columns: 200 }).split("\n")[1]).toBe(
    "3 of 2,114 events would be answered differently than by git:HEAD~1.",
  );
});

test("no line is wider than the terminal, and nothing of a transcript reaches it as it is", () => {
  for (const columns of [60, 80, 100, 120, 200]) {
    for (const text of [replayText(report, { style, columns }), replayText(against, { style, columns })]) {
      const widest = text.split("\n").reduce((most, line) => Math.max(most, displayWidth(line)), 0);
      expect({ columns, fits: widest <= columns, widest }).toEqual({ columns, fits: true, widest });
      expect(text).not.toMatch(/[\u001b\u202e]/);
    }
  }
});

test("what differs is shown with both answers, and what is left out is counted", () => {
  const lines = replayText(against, { style, columns: 80 }).split("\n");
  const at = lines.indexOf("Answered differently");
  expect(lines.slice(at + 2, at + 5).map((line) => line.slice(0, 22))).toEqual([
    "  rm -rf build",
    "  before: none",
    '  now: deny, "No.", co',
  ]);
  expect(lines).toContain("and 2 more; use --limit N to show them");
  expect(replayText(report, { style, columns: 120 })).toContain("and 14 more; use --limit N to show them");
});

test("an empty replay is reported as such", () => {
  expect(
    replayText(
      {
        ...report,
        files: 0,
        events: [],
        handlers: [],
        listed: [],
        changes: [],
        effects: [],
        tasks: [],
        failures: [],
        missing: [],
        repeated: 0,
        unreadableLines: 0,
      },
      { style, columns: 80 },
    ),
  ).toBe("No transcripts found for this project. Use --all for every project or --root for another directory.\n");
});

test.each([
  [{ root: "/r" }, "No transcripts found for this project in /r. Use --all for every project.\n"],
  [{ root: "/r", all: true }, "No transcripts found in /r.\n"],
  [{ all: true, since: "2h" }, "No transcripts found. Use --root for another directory or an earlier --since.\n"],
])("an empty replay with %o advises only options that were not given", (given, text) => {
  expect(replayText({ ...report, files: 0 }, { style, columns: 80 }, given)).toBe(text);
});

test("a tool that does not occur is named with those that do", () => {
  expect(
    toolsNotFoundText({ ...report, toolsNotFound: [{ tool: "bash", meant: "Bash", occurring: ["Bash", "Edit"] }] }),
  ).toBe('hookline: No call of "bash" was found; tools that occur: Bash, Edit. Did you mean "Bash"?\n');
  expect(toolsNotFoundText({ ...report, toolsNotFound: [{ tool: "X", occurring: [] }] })).toBe(
    'hookline: No call of "X" was found; no tool occurs.\n',
  );
  expect(toolsNotFoundText(report)).toBe("");
});

test("equal rows are one row, and calls that had been refused then are marked", () => {
  const row = { ...place, tool: "Bash", input: "rm -rf build", decision: "deny", reason: "No." } as const;
  const text = replayText(
    {
      ...report,
      listed: [row, { ...row, at: "2026-01-31T10:00:00.000Z" }, { ...row, refusedThen: true }],
      listedInAll: 3,
      refusedThen: 1,
    },
    { style, columns: 200 },
  );
  expect(text.match(/rm -rf build/g)).toHaveLength(2);
  expect(text).toContain("(2 times) No.");
  expect(text).toContain("(denied at the time, too) No.");
  expect(text).toContain("1 of these were denied at the time, too.");
});

test("a handler that was never called has a line that says why, and an app of which none was called begins with that", () => {
  const never = { calls: 0, outcomes: {} };
  const notReplayed = [{ event: "Stop", name: "tests-on-stop" }];
  const idle = [
    { ...never, name: "writes-inside", event: "PreToolUse", what: ["Write", "Edit"] },
    { ...never, name: "failures\u001b", event: "PostToolUseFailure" },
    { ...never, name: "tests-on-stop", event: "Stop" },
  ];
  const lines = [
    "writes-inside  0 calls: no PreToolUse of Write, Edit reached it",
    "failures       0 calls: no PostToolUseFailure reached it",
    "tests-on-stop  0 calls: transcripts do not contain Stop",
  ];
  const shown = (handlers: ReplayReport["handlers"]) =>
    replayText({ ...report, notReplayed, handlers }, { style, columns: 200 }).split("\n");
  const some = shown([...report.handlers, ...idle]);
  const at = some.findIndex((line) => line.startsWith("a-handler"));
  expect([some[0]?.slice(0, 5), some.slice(at + 1, at + 5)]).toEqual(["1,214", [...lines, ""]]);
  const none = shown(idle);
  expect([none[0], none[1]?.slice(0, 5)]).toEqual(["No handler of this app was called.", "1,214"]);
  expect(none).toEqual(expect.arrayContaining(lines));
});
