import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { write } from "../fixtures/transcript.ts";
import { isSafeId, safeId } from "../safe-paths.ts";
import { findSessions, type SessionPlace, sessionFilesOf } from "./session-files.ts";
import { findRoots, folderName, type SessionRoot } from "./session-roots.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-locate-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = (...parts: string[]) => {
  mkdirSync(join(home, ...parts), { recursive: true });
  return join(home, ...parts);
};

test("the folder name of a working directory is the one that Claude Code uses", () => {
  expect(folderName("/home/dev/naïve.app v2/x_y@z")).toBe("-home-dev-na-ve-app-v2-x-y-z");
  expect(folderName("/w/😀")).toBe("-w---");
  const long = folderName(`/w/${"a".repeat(300)}`);
  expect([long.slice(0, 201), long.slice(201)]).toEqual([`-w-${"a".repeat(197)}-`, "d8rhdl"]);
  expect(folderName(`/${"b".repeat(199)}`)).toBe(`-${"b".repeat(199)}`);
  expect(folderName("C:\\Users\\Me")).toBe("C--Users-Me");
});

test("by default the roots are both places of Claude Code, our store and the archive", async () => {
  for (const path of [".claude", ".config/claude", "state/sessions", "state/archive"]) folder(path, "projects");
  const env = { HOOKLINE_HOME: join(home, "state") };
  expect(await findRoots({ env, home })).toEqual([
    { path: join(home, ".claude"), origin: "client" },
    { path: join(home, ".config/claude"), origin: "client" },
    { path: join(home, "state/sessions"), origin: "hookline" },
    { path: join(home, "state/archive"), origin: "archive" },
  ]);
  expect(await findRoots({ env: { ...env, XDG_CONFIG_HOME: join(home, "nowhere") }, home })).toHaveLength(3);
});

test("CLAUDE_CONFIG_DIR is a list whose members alone count, config folder or projects folder; a real folder once", async () => {
  folder(".claude", "projects");
  const one = folder("one");
  folder("one", "projects");
  folder("two", "projects");
  symlinkSync(one, join(home, "again"));
  const list = [one, join(home, "two/projects"), join(home, "again"), "", join(home, "none")].join(", ");
  const env = { CLAUDE_CONFIG_DIR: list, HOOKLINE_HOME: join(home, "state") };
  expect(await findRoots({ env, home })).toEqual([
    { path: one, origin: "client" },
    { path: join(home, "two"), origin: "client" },
  ]);
});

test("roots the caller names are the only ones", async () => {
  folder(".claude", "projects");
  folder("mine", "projects");
  const mine: SessionRoot = { path: join(home, "mine"), origin: "archive" };
  expect(await findRoots({ roots: [mine, { path: join(home, "none"), origin: "archive" }], env: {}, home })).toEqual([
    mine,
  ]);
});

async function sessions(): Promise<SessionPlace[]> {
  const found: SessionPlace[] = [];
  for (const place of findSessions([{ path: home, origin: "client" }])) found.push(place);
  return found;
}

test("everything that belongs to a session is found by its place; unknown files are listed, not opened", async () => {
  const id = "11111111-1111-4111-8111-111111111111";
  const files = [
    `${id}.jsonl`,
    `${id}/subagents/agent-a0123456789abcdef.jsonl`,
    `${id}/subagents/agent-a0123456789abcdef.meta.json`,
    `${id}/subagents/agent-ascout-0123456789abcdef.jsonl`,
    `${id}/subagents/workflows/wf_1/agent-afedcba9876543210.jsonl`,
    `${id}/subagents/workflows/wf_1/journal.jsonl`,
    `${id}/workflows/wf_1.json`,
    `${id}/tool-results/big.txt`,
    `${id}/something/deep/new.bin`,
    `${id}/hookline.json`,
    "memory/notes.md",
  ];
  for (const file of files) write(join(home, "projects/-p", file), []);
  write(join(home, "projects/-p/agent-old1.jsonl"), [{ type: "user", sessionId: id }]);
  write(join(home, "projects/-p/agent-old2.jsonl"), [{ type: "user", sessionId: "another" }]);
  const [place, ...more] = await sessions();
  expect(more).toEqual([]);
  if (place === undefined) throw new Error("no session");
  const found = await sessionFilesOf(place);
  const short = (path: string | undefined) => path && relative(join(home, "projects/-p"), path);
  expect({
    ...found,
    main: short(found.main),
    agents: found.agents.map((agent) => ({
      ...agent,
      file: short(agent.file),
      ...(agent.meta ? { meta: short(agent.meta) } : {}),
    })),
    workflows: found.workflows.map((flow) => ({ ...flow, journal: short(flow.journal), state: short(flow.state) })),
    toolResults: found.toolResults.map(short),
    others: found.others.map(short),
  }).toEqual({
    main: files[0],
    agents: [
      { id: "a0123456789abcdef", file: files[1], meta: files[2] },
      { id: "ascout-0123456789abcdef", file: files[3] },
      { id: "afedcba9876543210", file: files[4], run: "wf_1" },
      { id: "old1", file: "agent-old1.jsonl", nextToMain: true },
    ],
    workflows: [{ run: "wf_1", journal: files[5], state: files[6] }],
    toolResults: [files[7]],
    others: [files[9], files[8]],
  });
});

test("an archived session is found under its own name", async () => {
  write(join(home, "projects/-p/s1.jsonl.gz"), []);
  write(join(home, "projects/-p/s1/subagents/agent-a1.jsonl.gz"), []);
  write(join(home, "projects/-p/s1/subagents/agent-a1.meta.json.gz"), []);
  const [place] = await sessions();
  expect(place?.id).toBe("s1");
  expect((await sessionFilesOf(place as SessionPlace)).agents).toMatchObject([
    { id: "a1", meta: expect.stringMatching(/gz$/) },
  ]);
});

test("links that leave the root are not followed, those inside it are", async () => {
  const outside = mkdtempSync(join(tmpdir(), "hookline-outside-"));
  write(join(outside, "secret.jsonl"), []);
  write(join(home, "projects/-p/s1.jsonl"), []);
  write(join(home, "projects/-p/s1/tool-results/x.txt"), []);
  symlinkSync(join(outside, "secret.jsonl"), join(home, "projects/-p/s2.jsonl"));
  symlinkSync(outside, join(home, "projects/-q"));
  symlinkSync(outside, join(home, "projects/-p/s1/more"));
  symlinkSync(join(home, "projects/-p/s1"), join(home, "projects/-p/s1/ring"));
  symlinkSync(join(home, "nowhere"), join(home, "projects/-p/s4.jsonl"));
  symlinkSync(join(home, "projects/-p/s1.jsonl"), join(home, "projects/-p/s3.jsonl"));
  const found = await sessions();
  expect(found.map(({ id }) => id)).toEqual(["s1", "s3"]);
  const { others } = await sessionFilesOf(found[0] as SessionPlace);
  expect(others.filter((path) => path.includes("more"))).toEqual([]);
  rmSync(outside, { recursive: true });
});

test("ids are not paths", () => {
  const bad = [
    "../../x",
    "..%2f",
    "a/b",
    "C:\\x",
    "a\0b",
    "x".repeat(300),
    "CON",
    "con.txt",
    "nul",
    "",
    ".",
    "..",
    "a..b",
    "-x",
    ".x",
    "a b",
    "é",
    "lpt1",
    "x\n",
  ];
  expect(bad.filter(isSafeId)).toEqual([]);
  for (const id of bad) expect(() => safeId(id)).toThrowError(expect.objectContaining({ code: "sessions/unsafe-id" }));
  const good = [
    "11111111-1111-4111-8111-111111111111",
    "s1",
    "a0123456789abcdef",
    "ascout-0123456789abcdef",
    "wf_1.2",
    "CONtext",
  ];
  expect(good.filter((id) => !isSafeId(id))).toEqual([]);
});

test("a file whose name is not an id is not a session", async () => {
  mkdirSync(join(home, "projects/-p"), { recursive: true });
  for (const name of ["a b.jsonl", ".jsonl", "..jsonl", "con.jsonl", "ok.jsonl"])
    writeFileSync(join(home, "projects/-p", name), "");
  expect((await sessions()).map(({ id }) => id)).toEqual(["ok"]);
});
