/** Sessions that Claude Code 2.1.325 wrote, and what our own store writes, through the commands a user calls. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callHookline } from "../../src/cli/fixtures/caller.ts";
import { openStore } from "../../src/sessions/internal.ts";

const recorded = resolve(import.meta.dirname, "../fixtures/transcripts-2.1.325");
let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-newest-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function hookline(...args: string[]) {
  const env = { HOOKLINE_HOME: join(home, "state") };
  return callHookline(args, { home, cwd: "/home/dev/project", env });
}

interface Validated {
  readonly session: string;
  readonly findings: readonly { readonly code: string; readonly message: string }[];
}

test("validate prints at most five lines per session of Claude Code 2.1.325, and knows its types and fields", async () => {
  const { out, status } = await hookline("sessions", "validate", "--all", "--root", recorded, "--json");
  const { sessions } = JSON.parse(out) as { sessions: readonly Validated[] };
  expect([status, sessions.length]).toEqual([0, 9]);
  expect(sessions.flatMap(({ findings }) => findings.filter(({ code }) => code.startsWith("unknown-")))).toEqual([]);
  for (const { session } of sessions) {
    const text = await hookline("sessions", "validate", session, "--root", recorded);
    expect([session, text.out.trimEnd().split("\n").length <= 5]).toEqual([session, true]);
  }
});

test("unknown types and fields are summed per kind, with how often each occurs", async () => {
  const lines = ["one", "two", "three"].map((name, index) => ({
    ...line(`0000000${index}`, index === 0 ? null : `0000000${index - 1}`),
    type: "user",
    message: { role: "user", content: name },
    ...(index > 0 ? { shiny: 1 } : {}),
    ...(index === 2 ? { glossy: 1 } : {}),
  }));
  session("s1", [...lines, { type: "novelty", sessionId: "s1" }, { type: "oddity", sessionId: "s1" }]);
  const { out } = await hookline("sessions", "validate", "s1", "--json");
  const { sessions } = JSON.parse(out) as { sessions: readonly Validated[] };
  const notes = sessions.flatMap(({ findings }) => findings.filter(({ code }) => code.startsWith("unknown-")));
  expect(notes.map(({ code, message }) => [code, message])).toEqual([
    ["unknown-field", "2 unknown fields, kept unchanged: user.glossy (1), user.shiny (2)"],
    ["unknown-type", "2 unknown types, kept unchanged: novelty (1), oddity (1)"],
  ]);
});

test("a filler of Claude Code is not shown as an API error, and a built-in command before it is not a turn", async () => {
  const command = "<command-name>/compact</command-name>\n<command-message>compact</command-message>";
  session("s1", [
    { ...line("00000001", null), type: "user", message: { role: "user", content: command } },
    {
      ...line("00000002", "00000001"),
      type: "user",
      isMeta: true,
      message: { role: "user", content: "Continue from where you left off." },
    },
    {
      ...line("00000003", "00000002"),
      type: "assistant",
      isApiErrorMessage: false,
      message: {
        model: "<synthetic>",
        role: "assistant",
        content: [{ type: "text", text: "No response requested." }],
        usage: { input_tokens: 0, output_tokens: 0 },
        stop_reason: "stop_sequence",
      },
    },
    { ...line("00000004", "00000003"), type: "user", message: { role: "user", content: "and now?" } },
    {
      ...line("00000005", "00000004"),
      type: "assistant",
      requestId: "r1",
      message: {
        id: "m1",
        model: "claude-sonnet-4-5",
        role: "assistant",
        content: [{ type: "text", text: "done" }],
        usage: { input_tokens: 5, output_tokens: 1 },
        stop_reason: "end_turn",
      },
    },
  ]);
  for (const format of ["markdown", "html", "json"]) {
    const { out, status } = await hookline("sessions", "export", "s1", "--format", format);
    expect([status, format, /api.error|No response requested/i.test(out)]).toEqual([0, format, false]);
  }
  const shown = await hookline("sessions", "show", "s1");
  expect(shown.out).not.toMatch(/API error|No response requested/);
  const tree = await hookline("sessions", "tree", "s1", "--json");
  expect(JSON.parse(tree.out)).toMatchObject({ turns: [{ number: 1 }] });
  expect((await hookline("sessions", "tree", "s1")).out).toContain("1 local command");
  const usage = await hookline("usage", "session", "--no-index", "--json");
  expect((JSON.parse(usage.out) as { rows: { turns: number }[] }).rows.map(({ turns }) => turns)).toEqual([1]);
});

test("show, ls, search and export give large parts that the store keeps in files of their own", async () => {
  const id = "22222222-2222-4222-8222-222222222222";
  const prompt = `Please read this. ${"lorem ipsum ".repeat(90_000)} heliotrope at the end`;
  const store = await openStore({ root: join(home, "state", "sessions"), version: "1" });
  const session = await store.open({ id, cwd: "/home/dev/project" });
  await session.append({ type: "user", message: { role: "user", content: prompt } });
  await store.close();
  expect((await hookline("sessions", "show", id)).out).toContain("heliotrope at the end");
  expect((await hookline("sessions", "ls")).out).toContain("Please read this.");
  expect((await hookline("sessions", "search", "heliotrope")).out).toContain("heliotrope at the end");
  expect((await hookline("sessions", "export", id, "--format", "json")).out).toContain("heliotrope at the end");
});

test("--by subagent shows main and subagents in every report, and --csv refuses it", async () => {
  cpSync(resolve(recorded, "../transcripts/b-subagent"), join(home, ".claude/projects/-b"), { recursive: true });
  for (const report of ["daily", "weekly", "monthly", "session", "blocks", "models", "projects"]) {
    const { out, status } = await hookline("usage", report, "--by", "subagent", "--no-index");
    expect([report, status, /^ {2}main\b/m.test(out), /^ {2}general-purpose\b/m.test(out)]).toEqual([
      ...[report, 0, true, true],
    ]);
  }
  const csv = await hookline("usage", "session", "--agents", "--csv");
  expect(csv).toMatchObject({ status: 1, out: "", err: expect.stringContaining("--by") });
});

test("a --root that does not exist, or has no sessions folder, is an error of every command that takes one", async () => {
  mkdirSync(join(home, "empty"));
  const calls = [["usage"], ["sessions", "ls"], ["sessions", "search", "x"], ["sessions", "validate", "--all"]];
  for (const words of calls) {
    const missing = await hookline(...words, "--root", join(home, "nowhere"));
    expect(missing).toMatchObject({ status: 1, out: "", err: expect.stringContaining("it does not exist") });
    const empty = await hookline(...words, "--root", join(home, "empty"));
    expect(empty).toMatchObject({ status: 1, out: "", err: expect.stringContaining("does not contain projects/") });
  }
});

test("an entry up to a minute older than its parent is not a warning", async () => {
  const prompts = (gapMs: number) => [
    { ...line("00000001", null), type: "user", message: { role: "user", content: "a" } },
    {
      ...line("00000002", "00000001"),
      timestamp: new Date(Date.parse("2026-01-01T00:00:00.000Z") - gapMs).toISOString(),
      type: "user",
      message: { role: "user", content: "b" },
    },
  ];
  session("near", prompts(60_000));
  session("far", prompts(60_001));
  const codes = async (id: string) => {
    const { out } = await hookline("sessions", "validate", id, "--json");
    const [validated] = (JSON.parse(out) as { sessions: readonly Validated[] }).sessions;
    return validated?.findings.map(({ code }) => code);
  };
  expect(await codes("near")).not.toContain("time-before-parent");
  expect(await codes("far")).toContain("time-before-parent");
});

function line(uuid: string, parent: string | null): object {
  const whole = (short: string) => `${short}-0000-4000-8000-000000000000`;
  return {
    uuid: whole(uuid),
    parentUuid: parent === null ? null : whole(parent),
    isSidechain: false,
    timestamp: "2026-01-01T00:00:00.000Z",
    sessionId: "s1",
    cwd: "/home/dev/project",
    version: "2.1.325",
  };
}

function session(id: string, lines: readonly object[]): void {
  const folder = join(home, ".claude/projects/-home-dev-project");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${id}.jsonl`),
    lines.map((one) => `${JSON.stringify({ ...one, sessionId: id })}\n`).join(""),
  );
}
