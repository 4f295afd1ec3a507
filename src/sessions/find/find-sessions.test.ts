import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answer, prompt, type Wire, write } from "../fixtures/transcript.ts";
import { readHeader } from "../read/session-header.ts";
import { findSession, type ListSessionsOptions, listSessions, type SessionSummary } from "./find-sessions.ts";

let home: string;
let where: ListSessionsOptions;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-list-")));
  where = { env: { HOOKLINE_HOME: join(home, "state") }, home };
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (project: string, name: string, root = ".claude") => join(home, root, "projects", project, name);

function session(
  project: string,
  id: string,
  lines: readonly (Wire | string)[],
  modified = 1000,
  root = ".claude",
): string {
  const file = write(at(project, `${id}.jsonl`, root), lines);
  utimesSync(file, modified, modified);
  return file;
}

async function list(options: ListSessionsOptions = {}): Promise<SessionSummary[]> {
  const all: SessionSummary[] = [];
  for await (const one of listSessions({ ...where, ...options })) all.push(one);
  return all;
}

describe("the header", () => {
  test("a header has what the ends of a file show", async () => {
    const p = prompt(null, "first words", { timestamp: "T1" });
    const a = answer(p, "x", {}, { timestamp: "T2" });
    const file = session("-p", "s1", [
      { type: "mode", mode: "n", sessionId: "s1" },
      p,
      a,
      { type: "ai-title", aiTitle: "By a model", sessionId: "s1" },
      { type: "last-prompt", lastPrompt: "last words", leafUuid: a["uuid"], sessionId: "s1" },
    ]);
    expect(await readHeader(file)).toMatchObject({
      sessionId: "s1",
      cwd: "/home/dev/project",
      version: "2.1.197",
      branch: "main",
      firstPrompt: "first words",
      lastPrompt: "last words",
      title: "By a model",
      firstAt: "T1",
      lastAt: "T2",
      leaf: a["uuid"],
    });
  });

  test("the title is the newest custom one, else a model's, else a summary, else the first prompt", async () => {
    const p = prompt(null, "first words");
    const title = async (...lines: Wire[]) => (await readHeader(session("-p", "s1", [p, ...lines]))).title;
    const custom = (customTitle: string) => ({ type: "custom-title", customTitle, sessionId: "s1" });
    const ai = { type: "ai-title", aiTitle: "ai", sessionId: "s1" };
    const summary = { type: "summary", summary: "sum", leafUuid: "x" };
    expect(await title(custom("old"), ai, custom("new"), summary)).toBe("new");
    expect(await title(custom("old"), ai, custom(""))).toBe("ai");
    expect(await title(summary, ai)).toBe("ai");
    expect(await title(summary)).toBe("sum");
    expect(await title()).toBe("first words");
  });

  test("a large file is read at its ends only; what they do not show is absent", async () => {
    const p = prompt(null, "first words", { timestamp: "T1" });
    const filler = Array.from({ length: 400 }, () => ({ type: "mode", mode: "x".repeat(1000), sessionId: "s1" }));
    const hidden = { type: "custom-title", customTitle: "in the middle", sessionId: "s1" };
    const last = prompt(p, "last words", { timestamp: "T9" });
    const file = session("-p", "s1", [p, ...filler, hidden, ...filler, last]);
    expect(await readHeader(file)).toMatchObject({
      firstPrompt: "first words",
      title: "first words",
      lastPrompt: "last words",
      lastAt: "T9",
      leaf: last["uuid"],
    });
    const nothing = session("-p", "s2", [{ type: "mode", mode: "x".repeat(300_000), sessionId: "s2" }]);
    expect(await readHeader(nothing)).toEqual({ file: nothing, sizeBytes: expect.any(Number), modifiedMs: 1_000_000 });
    const archived = `${file}.gz`;
    writeFileSync(
      archived,
      gzipSync([p, ...filler, hidden, ...filler, last].map((line) => `${JSON.stringify(line)}\n`).join("")),
    );
    expect(await readHeader(archived)).toMatchObject({
      firstPrompt: "first words",
      lastPrompt: "last words",
      lastAt: "T9",
    });
  });

  test("a torn last line is skipped", async () => {
    const p = prompt(null, "first");
    const file = at("-p", "s1.jsonl");
    session("-p", "s1", []);
    writeFileSync(file, `${JSON.stringify(p)}\n{"type":"user","timest`);
    expect((await readHeader(file)).leaf).toBe(p["uuid"]);
  });
});

describe("the list", () => {
  test("sessions are listed by newest activity, each with every field of a row", async () => {
    session("-home-dev-project", "old", [prompt(null, "one")], 1000);
    session("-home-dev-project", "new", [prompt(null, "two", { timestamp: "2026-01-02T00:00:00Z" })], 2000);
    write(at("-home-dev-project", "new/subagents/agent-a1.jsonl"), []);
    write(at("-home-dev-project", "new/subagents/workflows/wf_1/agent-a2.jsonl"), []);
    const [first, second] = await list();
    expect(first).toMatchObject({
      id: "new",
      origin: "client",
      project: "/home/dev/project",
      cwd: "/home/dev/project",
      title: "two",
      firstPrompt: "two",
      startedAt: "2026-01-02T00:00:00Z",
      version: "2.1.197",
      branch: "main",
      agents: 2,
      live: "no",
      goneAtSource: false,
      modifiedMs: 2_000_000,
    });
    expect(second?.id).toBe("old");
    expect((await list({ sinceMs: 1_500_000 })).map(({ id }) => id)).toEqual(["new"]);
  });

  test("a folder's project is the cwd most of its sessions have; its name is used only when none has any", async () => {
    session("-x", "a", [prompt(null, "1", { cwd: "/w/a_b" })]);
    session("-x", "b", [prompt(null, "1", { cwd: "/w/a-b" })]);
    session("-x", "c", [prompt(null, "1", { cwd: "/w/a-b" })]);
    session("-y", "d", [{ type: "mode", mode: "x", sessionId: "d" }]);
    const rows = Object.fromEntries((await list()).map((row) => [row.id, [row.cwd, row.project, row.alsoUsedFor]]));
    expect(rows).toEqual({
      a: ["/w/a_b", "/w/a-b", ["/w/a_b"]],
      b: ["/w/a-b", "/w/a-b", ["/w/a_b"]],
      c: ["/w/a-b", "/w/a-b", ["/w/a_b"]],
      d: [undefined, "-y", []],
    });
  });

  test("sessions of a directory are found by computed name, by its real path, and by their records", async () => {
    const project = join(home, "work/proj");
    mkdirSync(project, { recursive: true });
    symlinkSync(project, join(home, "link"));
    session(project.replace(/[^A-Za-z0-9]/g, "-"), "by-name", [prompt(null, "1", { cwd: "/moved/away" })]);
    session("-elsewhere", "by-record", [prompt(null, "1", { cwd: project })]);
    session("-other", "not", [prompt(null, "1")]);
    expect((await list({ cwd: project })).map(({ id }) => id).sort()).toEqual(["by-name", "by-record"]);
    expect((await list({ cwd: join(home, "link") })).map(({ id }) => id).sort()).toEqual(["by-name", "by-record"]);
  });

  test("archived sessions are listed once, and marked when the recorded file no longer exists", async () => {
    session("-p", "both", [prompt(null, "1")]);
    for (const id of ["both", "gone"]) {
      mkdirSync(join(home, "state/archive/projects/-p"), { recursive: true });
      writeFileSync(at("-p", `${id}.jsonl.gz`, "state/archive"), gzipSync(`${JSON.stringify(prompt(null, "kept"))}\n`));
    }
    write(at("-p", "gone.archive.json", "state/archive"), [{ files: { "gone.jsonl": { modifiedMs: 5_000_000 } } }]);
    expect((await list()).map(({ id, modifiedMs }) => [id, modifiedMs])).toEqual([
      ["gone", 5_000_000],
      ["both", 1_000_000],
    ]);
    const rows = (await list()).map(({ id, origin, goneAtSource, title }) => [id, origin, goneAtSource, title]);
    expect(rows.sort()).toEqual([
      ["both", "client", false, "1"],
      ["gone", "archive", true, "kept"],
    ]);
  });

  test("a running session is marked", async () => {
    session("-p", "s1", [prompt(null, "1")]);
    write(join(home, ".claude/sessions/999999999.json"), [{ pid: 999_999_999, sessionId: "s1", procStart: "1" }]);
    expect((await list()).map(({ live }) => live)).toEqual(["no"]);
  });
});

describe("asking for one session", () => {
  const find = (name: string, more: object = {}) => findSession(name, { ...where, ...more });
  const code = (wanted: string) => expect.objectContaining({ name: "Problem", code: wanted });

  test("a session is found by full id, unique prefix, last, and path", async () => {
    const one = session("-p", "abcd1234", [prompt(null, "1", { cwd: "/w/x" })], 1000);
    const two = session("-p", "abce5678", [prompt(null, "1", { cwd: "/w/x" })], 2000);
    expect((await find("abcd1234")).file).toBe(one);
    expect((await find("abce")).file).toBe(two);
    expect((await find("last", { cwd: "/w/x" })).file).toBe(two);
    expect((await find(one)).id).toBe("abcd1234");
    await expect(find("last", { cwd: "/w/none" })).rejects.toEqual(code("sessions/not-found"));
    await expect(find(`${one}x.jsonl`)).rejects.toEqual(code("sessions/not-found"));
  });

  test("an ambiguous or unknown name lists candidates; a short prefix is refused with the reason", async () => {
    session("-p", "abcd1234", []);
    session("-q", "abcd5678", []);
    session("-q", "abc", []);
    await expect(find("abcd")).rejects.toThrow(/matches 2 sessions:\n {2}abcd1234 {2}in -p\n {2}abcd5678 {2}in -q/);
    await expect(find("abcd")).rejects.toEqual(code("sessions/ambiguous"));
    await expect(find("ab")).rejects.toMatchObject({
      code: "sessions/not-found",
      message: expect.stringContaining("The beginning of an id needs at least 4 characters."),
    });
    expect((await find("abc")).id).toBe("abc");
    await expect(find("zzzz")).rejects.toEqual(code("sessions/not-found"));
  });

  test("a session and its archived copy are one; the same id in two projects is two", async () => {
    const file = session("-p", "abcd1234", []);
    session("-p", "abcd1234", [], 1000, "state/archive");
    expect((await find("abcd1234")).file).toBe(file);
    session("-q", "abcd1234", []);
    await expect(find("abcd1234")).rejects.toEqual(code("sessions/ambiguous"));
  });

  test("names that are not ids are refused before anything is read", async () => {
    for (const name of ["../../x", "..%2f", "a/b", "C:\\x", "a\0b", "x".repeat(300), "CON", ""]) {
      await expect(find(name)).rejects.toEqual(code("sessions/unsafe-id"));
    }
    const file = session("-p", "s1", []);
    await expect(find(file, { idsOnly: true })).rejects.toEqual(code("sessions/unsafe-id"));
  });
});

test("a project folder that is a link to another gives each session once, by list, id and directory", async () => {
  const file = session("-main", "s1111", [prompt(null, "go", { cwd: "/main" })]);
  symlinkSync(join(home, ".claude/projects/-main"), join(home, ".claude/projects/-worktree"));
  expect((await list()).map(({ id }) => id)).toEqual(["s1111"]);
  expect((await list({ cwd: "/worktree" })).map(({ id }) => id)).toEqual(["s1111"]);
  expect(await findSession("s1111", where)).toMatchObject({ project: "-main", file });
});
