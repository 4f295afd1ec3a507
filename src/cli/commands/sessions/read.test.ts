import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Io } from "../../command-line/command.ts";
import { type Caller, callHookline } from "../../fixtures/caller.ts";
import { timeText } from "../../print/figures.ts";
import { displayWidth } from "../../print/table.ts";

const recorded = resolve(import.meta.dirname, "../../../../test/fixtures/transcripts");
let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-cli-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function has(...fixtures: string[]): void {
  for (const name of fixtures)
    cpSync(join(recorded, name), join(home, ".claude/projects", `-${name}`), { recursive: true });
}

function hookline(args: readonly string[], terminal: Partial<Io["terminal"]> = {}, more: Partial<Caller> = {}) {
  const env = { HOOKLINE_HOME: join(home, "state") };
  return callHookline(["sessions", ...args], { home, cwd: "/home/dev/project", env, terminal, ...more });
}

const json = async (...args: string[]) =>
  JSON.parse((await hookline([...args, "--json"])).out) as Record<string, unknown>;

test("every verb has --help with an example, and a wrong verb names the right one", async () => {
  const { out } = await hookline(["--help"]);
  const verbs = ["ls", "show", "tree", "live", "search", "validate", "repair", "fork", "archive", "export"];
  for (const verb of verbs) {
    expect(out).toContain(`  ${verb} `);
    const help = await hookline([verb, "--help"]);
    expect([
      help.status,
      help.out.includes(`hookline sessions ${verb}`),
      /\nExamples?\n {2}hookline/.test(help.out),
    ]).toEqual([0, true, true]);
  }
  expect(await hookline(["serach"])).toMatchObject({
    status: 1,
    out: "",
    err: expect.stringContaining('"hookline sessions search"'),
  });
  expect(await hookline(["ls", "--lmit", "3"])).toMatchObject({ status: 1, err: expect.stringContaining("--limit") });
});

test("a damaged archive is listed, named and passed over; it keeps no command from the other sessions", async () => {
  has("a-plain", "b-subagent");
  expect((await hookline(["archive"])).out).toContain("2 sessions, 2 with new content");
  const packed = join(home, "state/archive/projects/-a-plain/11111111-1111-4111-8111-111111111111.jsonl.gz");
  writeFileSync(packed, "garbage");
  rmSync(join(home, ".claude/projects/-a-plain"), { recursive: true });
  const { sessions } = (await json("ls")) as { sessions: { id: string; sizeBytes: number }[] };
  expect(sessions.find(({ id }) => id.startsWith("1111"))).toMatchObject({ sizeBytes: 7, goneAtSource: true });
  for (const more of [[], ["--index"]]) {
    const found = await hookline(["search", "subagent", ...more]);
    expect(found).toMatchObject({ status: 0, out: expect.stringContaining("subagent run") });
    expect(found.err).toContain(`Not searched: ${packed} cannot be unpacked`);
  }
  expect(await json("search", "subagent")).toMatchObject({ unread: [{ file: packed }] });
  const checked = await hookline(["validate", "--all"]);
  expect(checked).toMatchObject({
    status: 1,
    err: expect.stringContaining("cannot be checked"),
    out: expect.stringContaining("2 sessions"),
  });
  for (const verb of ["show", "tree", "export", "validate", "fork"]) {
    const { status, err } = await hookline([verb, "1111"]);
    expect([verb, status, err]).toEqual([verb, 1, expect.stringMatching(/^hookline: .*cannot be unpacked/)]);
  }
});

test("a pipe named as a session is refused by every verb, and none waits for it", async () => {
  const pipe = join(home, "f.jsonl");
  execFileSync("mkfifo", [pipe]);
  for (const verb of ["show", "tree", "export", "validate", "repair", "fork", "archive"]) {
    const { status, err } = await hookline([verb, pipe]);
    expect([verb, status, err]).toEqual([verb, 1, expect.stringContaining("it is not a file")]);
  }
});

test("an export that cannot be written says which file and why, and a pipe as settings stops no list", async () => {
  has("a-plain");
  for (const out of [join(home, "nowhere/x.md"), home]) {
    const { status, err } = await hookline(["export", "1111", "--out", out, "--force"]);
    expect([out, status, err]).toEqual([out, 1, expect.stringContaining(`hookline: ${out} cannot be written: `)]);
  }
  execFileSync("mkfifo", [join(home, ".claude/settings.json")]);
  expect((await hookline(["ls"])).out).toContain("plain run");
});

test("a --root that is a file is refused with the reason", async () => {
  writeFileSync(join(home, "file"), "");
  const { status, err } = await hookline(["ls", "--root", join(home, "file")]);
  expect([status, err]).toEqual([1, expect.stringContaining("it is not a directory")]);
});

test("search --project takes a directory however it is written, as ls does", async () => {
  has("b-subagent");
  for (const project of ["/home/dev/project", "/home/dev/project/", "/home/dev/./x/../project"]) {
    const { out } = await hookline(["search", "subagent", "--project", project]);
    expect([project, out.includes("subagent run")]).toEqual([project, true]);
  }
});

test("an unknown branch, and options that exclude each other, are errors", async () => {
  has("a-plain");
  for (const args of [["show"], ["show", "--raw"], ["show", "--json"], ["export"], ["export", "--json"]]) {
    const [verb = "", ...more] = args;
    const { status, out, err } = await hookline([verb, "1111", ...more, "--branch", "nowhere"]);
    expect([args, status, out, err]).toEqual([args, 1, "", expect.stringContaining('"nowhere"')]);
  }
  expect(await hookline(["show", "1111", "--turn", "1", "--last", "2"])).toMatchObject({ status: 1, out: "" });
  expect(await hookline(["search", "a.c", "--index", "--regex"])).toMatchObject({ status: 1, out: "" });
});

describe("ls", () => {
  test("a row has every documented field", async () => {
    has("b-subagent");
    expect(await json("ls")).toEqual({
      sessions: [
        {
          id: "501a101c-7ecf-4bd9-a106-13be7d54c3a1",
          project: "/home/dev/project",
          cwd: "/home/dev/project",
          title: "subagent run",
          firstPrompt: "subagent run",
          startedAt: "2026-11-15T06:45:18.093Z",
          lastAt: "2026-11-15T06:45:31.281Z",
          sizeBytes: 14422,
          version: "2.1.197",
          branch: "HEAD",
          agents: 3,
          live: "no",
          origin: "client",
          goneAtSource: false,
          file: join(home, ".claude/projects/-b-subagent/501a101c-7ecf-4bd9-a106-13be7d54c3a1.jsonl"),
        },
      ],
      due: [],
    });
  });

  test("tables fit the terminal whatever they contain, and are not cut in a pipe", async () => {
    has("a-plain", "i-permission-hooks-interactive");
    const wide = "題".repeat(200);
    appendFileSync(
      join(home, ".claude/projects/-a-plain/11111111-1111-4111-8111-111111111111.jsonl"),
      `${JSON.stringify({ type: "custom-title", customTitle: wide, sessionId: "x" })}\n`,
    );
    for (const columns of [60, 80, 120]) {
      const { out } = await hookline(["ls"], { out: true, columns });
      for (const line of out.trimEnd().split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      expect(out).toContain("…");
    }
    expect((await hookline(["ls"])).out).toContain(wide);
  });

  test("limits (0 is no limit), directories and times select sessions, and no sessions is not an error", async () => {
    expect(await hookline(["ls"])).toEqual({ status: 0, out: "No sessions.\n", err: "" });
    has("a-plain", "b-subagent", "f-error-400");
    expect(((await json("ls", "--limit", "2"))["sessions"] as unknown[]).length).toBe(2);
    expect(((await json("ls", "--here"))["sessions"] as unknown[]).length).toBe(3);
    expect(((await json("ls", "--project", "/elsewhere"))["sessions"] as unknown[]).length).toBe(0);
    expect(((await json("ls", "--since", "2020-01-01"))["sessions"] as unknown[]).length).toBe(3);
    const hits = async (limit: string) =>
      ((await json("search", "Bash", "--limit", limit))["hits"] as unknown[]).length;
    expect([await hits("1"), await hits("0")]).toEqual([1, (await json("search", "Bash"))["total"]]);
    expect(await hookline(["ls", "--limit", "many"])).toMatchObject({
      status: 1,
      err: expect.stringContaining("whole number"),
    });
    expect((await hookline(["ls", "/home/dev"])).err).toContain("sessions ls takes no arguments");
    expect((await hookline(["ls", "--here", "--project", "x"])).err).toContain("cannot be used together");
    expect(await hookline(["ls", "--since", "soon"])).toMatchObject({
      status: 1,
      err: expect.stringContaining("is not a valid time"),
    });
  });

  test("ls shows the time of the last entry, and --since goes by it, also when the file was copied later", async () => {
    has("a-plain");
    const [session] = (await json("ls"))["sessions"] as { lastAt: string }[];
    const lastAt = session?.lastAt ?? "";
    expect((await hookline(["ls"])).out).toContain(timeText(Date.parse(lastAt)));
    expect((await hookline(["ls", "--since", "1h"])).out).toBe("No sessions.\n");
    expect(((await json("ls", "--since", lastAt.slice(0, 10)))["sessions"] as unknown[]).length).toBe(1);
  });

  test("sessions that will be deleted soon are reported", async () => {
    has("a-plain");
    const file = join(home, ".claude/projects/-a-plain/11111111-1111-4111-8111-111111111111.jsonl");
    const old = Date.now() / 1000 - 26 * 24 * 3600;
    const { utimesSync } = await import("node:fs");
    utimesSync(file, old, old);
    expect((await hookline(["ls"])).err).toContain("hookline sessions archive --due");
  });
});

describe("show", () => {
  test("show prints a session turn by turn, one turn, the last entries, or the raw lines", async () => {
    has("i-permission-hooks-interactive");
    const whole = await hookline(["show", "c856"]);
    expect(whole.out.match(/^turn \d+ /gm)?.length).toBe(12);
    const one = await hookline(["show", "c856", "--turn", "2", "--results"]);
    expect(one.out).toContain("PR-DENY-MARK");
    expect(one.out.match(/^turn /gm)?.length).toBe(1);
    const last = await hookline(["show", "c856", "--last", "3"]);
    expect(
      last.out
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(18).split(" ")[0]),
    ).toEqual(["meta", "command", "command-output"]);
    const raw = await hookline(["show", "c856", "--last", "2", "--raw"]);
    const lines = readFileSync(
      join(home, ".claude/projects/-i-permission-hooks-interactive/c8564950-4e2e-476c-ac60-0c37d336827e.jsonl"),
      "utf8",
    )
      .trimEnd()
      .split("\n");
    expect(raw.out).toBe(`${lines.slice(-2).join("\n")}\n`);
    expect(await hookline(["show", "c856", "--turn", "13"])).toMatchObject({
      status: 1,
      err: expect.stringContaining("turns 1 to 12"),
    });
  });

  test("--json is the exported session with its figures", async () => {
    has("b-subagent");
    const shown = await json("show", "501a", "--subagents");
    expect(shown).toMatchObject({
      schema: "hookline.session/1",
      title: "subagent run",
      stats: { calls: 9, tools: { Agent: { calls: 3 } } },
    });
    expect(await json("show", "501a", "--last", "1")).toMatchObject({
      session: "501a101c-7ecf-4bd9-a106-13be7d54c3a1",
      entries: [{ kind: "last-prompt" }],
    });
  });

  test("account data is never printed, damaged lines are", async () => {
    has("a-plain");
    const file = join(home, ".claude/projects/-a-plain/11111111-1111-4111-8111-111111111111.jsonl");
    appendFileSync(file, `${JSON.stringify({ type: "bridge-session", bridgeSessionId: "account-42" })}\n{junk\n`);
    for (const more of [
      [],
      ["--raw"],
      ["--last", "3"],
      ["--last", "3", "--json"],
      ["--last", "3", "--raw"],
      ["--json"],
    ]) {
      expect((await hookline(["show", "1111", ...more])).out).not.toContain("account-42");
    }
    expect((await hookline(["show", "1111", "--last", "1"])).out).toContain("not-json, 5 bytes at");
  });
});

test("tree shows turns, subagents, branches and where a session came from", async () => {
  has("b-subagent", "d-forked");
  expect((await hookline(["tree", "501a"])).out.split("\n").slice(1).join("\n")).toBe(
    [
      "1 turn, 3 subagents, 0 compactions, 0 local commands",
      `└─ turn 1 ${localTime("2026-11-15T06:45:19.861Z")} 4 calls, 4 tools, 11.4 s, answered  subagent run`,
      "   ├─ subagent general-purpose 2 calls, 1 tool  first job",
      "   ├─ subagent Explore 2 calls, 1 tool  second job",
      "   └─ subagent general-purpose 1 call, 0 tools, background  bg job",
      "",
    ].join("\n"),
  );
  expect(await json("tree", "a8ca")).toMatchObject({
    turns: [{}, {}, {}],
    branches: [{ active: true }],
    lineage: [{ by: "shared-uuids" }],
  });
  expect(await json("tree", "501a")).toMatchObject({
    agents: [{ linkedBy: "meta", agents: [] }, {}, { background: true }],
  });
  const narrow = await hookline(["tree", "501a"], { out: true, columns: 60 });
  for (const line of narrow.out.split("\n").slice(2)) expect(displayWidth(line)).toBeLessThanOrEqual(70);
});

test("live lists running sessions, and watches them", async () => {
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
  mkdirSync(join(home, ".claude/sessions"));
  const note = {
    pid: process.pid,
    sessionId: "s1",
    cwd: "/w",
    status: "waiting",
    waitingFor: "permission prompt",
    entrypoint: "cli",
  };
  expect((await hookline(["live"])).out).toBe("No sessions are running.\n");
  expect((await hookline(["live", "more"])).err).toContain("takes no arguments");
  writeFileSync(join(home, `.claude/sessions/${process.pid}.json`), JSON.stringify(note));
  expect((await hookline(["live"])).out).toContain("waiting: permission prompt (maybe ended)");
  expect(await json("live")).toMatchObject({ sessions: [{ sessionId: "s1", status: "waiting", live: "unknown" }] });
  const abort = new AbortController();
  const watched = await hookline(
    ["live", "--watch", "--json"],
    {},
    { signal: abort.signal, onOut: () => abort.abort() },
  );
  expect(
    watched.out
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { kind: string }).kind),
  ).toEqual(["started"]);
});

describe("search", () => {
  test("search prints hits with place and snippet, as text and as JSON", async () => {
    has("a-plain", "i-permission-hooks-interactive");
    const { out } = await hookline(["search", "rewritten", "--results"]);
    expect(out).toContain("C-REWRITTEN-MARK");
    expect(out).toContain("result, turn 3");
    expect(await json("search", "mkfifo", "A-allow")).toMatchObject({
      query: "mkfifo A-allow",
      total: 1,
      files: 2,
      hits: [{ kind: "tool", turn: 1, phrase: true }],
    });
    expect(await json("search", "--regex", "mkfifo [BC]-", "--case")).toMatchObject({ total: 2 });
    expect(await hookline(["search", "nowhere to be found"])).toMatchObject({
      status: 0,
      out: expect.stringContaining("No match for"),
    });
    expect(await hookline(["search"])).toMatchObject({ status: 1 });
    expect(await hookline(["search", "--regex", "("])).toMatchObject({
      status: 1,
      err: expect.stringContaining("Omit --regex"),
    });
    expect(await json("search", "plain", "--index")).toMatchObject({ total: 2 });
  });
});

test("export prints or writes, and does not overwrite by accident", async () => {
  has("b-subagent");
  expect((await hookline(["export", "501a"])).out).toContain("# subagent run");
  expect(await json("export", "501a")).toMatchObject({ schema: "hookline.session/1" });
  const file = join(home, "session.html");
  expect(await hookline(["export", "501a", "--out", file])).toMatchObject({ status: 0, out: "", err: `${file}\n` });
  expect(readFileSync(file, "utf8")).toContain("<!doctype html>");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await hookline(["export", "501a", "--out", file])).toMatchObject({
    status: 1,
    err: expect.stringContaining("--force"),
  });
  expect(await hookline(["export", "501a", "--out", file, "--force", "--format", "md"])).toMatchObject({ status: 0 });
  expect(readFileSync(file, "utf8")).toContain("# subagent run");
  expect(await hookline(["export", "501a", "--format", "pdf"])).toMatchObject({ status: 1 });
});

test("no export replaces a transcript, not even with --force or through a link", async () => {
  has("b-subagent");
  const [{ file }] = (await json("ls"))["sessions"] as [{ file: string }];
  const before = readFileSync(file, "utf8");
  const link = join(home, "link.md");
  symlinkSync(file, link);
  for (const out of [file, link]) {
    const { status, err } = await hookline(["export", "501a", "--out", out, "--force"]);
    expect([status, err]).toEqual([1, expect.stringContaining("is a transcript")]);
  }
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("hostile titles and texts leave no escape, C1 or bidi control in any output", async () => {
  const evil =
    "\u001b]0;pwned\u0007\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001bP1$q\u001b\\\u009b31m\u0007\u202eevil\u2066\u0085";
  const folder = join(home, ".claude/projects/-p");
  mkdirSync(join(folder, "bad1/subagents"), { recursive: true });
  const thread = { isSidechain: false, timestamp: evil, cwd: evil, version: evil, gitBranch: evil, sessionId: "bad1" };
  const lines = [
    { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: `find ${evil}` }, ...thread },
    {
      type: "assistant",
      uuid: "u2",
      parentUuid: "u1",
      message: {
        id: "m",
        model: evil,
        content: [
          { type: "text", text: `find ${evil}` },
          { type: "tool_use", id: "t", name: evil, input: { [evil]: `find ${evil}` } },
        ],
        stop_reason: "tool_use",
      },
      ...thread,
    },
    {
      type: "user",
      uuid: "u3",
      parentUuid: "u2",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: `find ${evil}` }] },
      ...thread,
    },
    { type: "custom-title", customTitle: `find ${evil}`, sessionId: "bad1" },
    { type: evil, uuid: evil, parentUuid: "u3", ...thread },
  ];
  writeFileSync(
    join(folder, "bad1.jsonl"),
    `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\u001b[2Jjunk\u009b\n`,
  );
  writeFileSync(
    join(folder, "bad1/subagents/agent-a1.jsonl"),
    `${JSON.stringify({ ...lines[0], isSidechain: true })}\n`,
  );
  writeFileSync(
    join(folder, "bad1/subagents/agent-a1.meta.json"),
    JSON.stringify({ toolUseId: "t", agentType: evil, description: evil }),
  );
  mkdirSync(join(home, ".claude/sessions"));
  writeFileSync(
    join(home, `.claude/sessions/${process.pid}.json`),
    JSON.stringify({ pid: process.pid, sessionId: evil, cwd: evil, name: evil, status: "waiting", waitingFor: evil }),
  );
  const calls = [
    ["ls"],
    ["show", "bad1", "--agents", "--thinking", "--results"],
    ["show", "bad1", "--last", "9"],
    ["show", "bad1", "--raw"],
    ["tree", "bad1"],
    ["live"],
    ["search", "find", "--results"],
    ["export", "bad1", "--results", "--agents"],
    ["export", "bad1", "--format", "html"],
  ];
  for (const args of calls) {
    for (const more of args.includes("--raw") ? [[]] : [[], ["--json"]]) {
      const { status, out, err } = await hookline([...args, ...more], { out: true, columns: 100 });
      expect([args, status]).toEqual([args, 0]);
      expect(out + err, args.join(" ")).not.toMatch(
        /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
      );
    }
  }
  mkdirSync(join(home, ".claude/projects/-\u001b[2J\u202e"));
  cpSync(join(folder, "bad1.jsonl"), join(home, ".claude/projects/-\u001b[2J\u202e/bad1.jsonl"));
  for (const id of ["bad1", "none\u001b[2J", "zzzz", "\u001b[2J.jsonl"]) {
    const { status, err } = await hookline(["show", id]);
    expect([id, status, /[\u001b\u202e]/.test(err)]).toEqual([id, 1, false]);
  }
  const coloured = (await hookline(["ls"], { out: true, colour: true, columns: 100 })).out;
  expect(coloured.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
});

test("ids on the command line are not paths, and nothing outside is touched", async () => {
  has("a-plain");
  const outside = join(home, "x.jsonl");
  for (const verb of ["show", "tree", "export", "validate", "fork"]) {
    for (const id of ["../../x", "..%2f", "a/b", "C:\\x", "x".repeat(300), "CON", ""]) {
      expect(await hookline([verb, id]), `${verb} ${id}`).toMatchObject({
        status: 1,
        err: expect.stringContaining("is not a session id"),
      });
    }
  }
  expect(existsSync(outside)).toBe(false);
});

function localTime(time: string): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
