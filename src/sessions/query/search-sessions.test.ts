import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answer, prompt, result, sidechain, toolUse, type Wire, write } from "../fixtures/transcript.ts";
import { searchIndex } from "./search-index.ts";
import { searchPattern } from "./search-pattern.ts";
import { type SearchOptions, searchSessions } from "./search-sessions.ts";
import { sqliteDriver } from "./sqlite.ts";

let home: string;
let where: SearchOptions;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-search-")));
  where = { roots: [home], env: { HOOKLINE_HOME: join(home, "state") }, home };
  mkdirSync(join(home, "projects"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (day: number) => ({ timestamp: `2026-01-${String(day).padStart(2, "0")}T00:00:00.000Z` });
const put = (id: string, lines: readonly (Wire | string)[], project = "-p") =>
  write(join(home, "projects", project, `${id}.jsonl`), lines);

async function search(query: string, options: SearchOptions = {}): Promise<string[]> {
  const { hits } = await searchSessions(query, { ...where, ...options });
  return hits.map(
    ({ session, kind, turn, phrase }) =>
      `${session} ${kind}${turn === undefined ? "" : ` turn ${turn}`}${phrase ? "" : " words"}`,
  );
}

test("a search covers prompts, answers, titles, tool names and inputs, and results and thinking only on request", async () => {
  const p = prompt(null, "find the needle", at(1));
  const use = answer(
    p,
    [{ type: "thinking", thinking: "a needle?" }, toolUse("t1", "Bash", { command: "grep needle ." })],
    { stop: "tool_use" },
    at(2),
  );
  const out = result(use, "t1", "hay\nneedle here", at(3));
  const answered = answer(out, "The needle is there.", {}, at(4));
  const meta = prompt(answered, "needle", { isMeta: true });
  put("s1", [p, use, out, answered, meta, { type: "custom-title", customTitle: "Needle hunt", sessionId: "s1" }]);
  expect(await search("needle")).toEqual(["s1 prompt turn 1", "s1 title", "s1 answer turn 1", "s1 tool turn 1"]);
  expect((await search("needle", { results: true, thinking: true })).sort()).toEqual([
    "s1 answer turn 1",
    "s1 prompt turn 1",
    "s1 result turn 1",
    "s1 thinking turn 1",
    "s1 title",
    "s1 tool turn 1",
  ]);
  const { hits } = await searchSessions("needle", { ...where, results: true });
  expect(hits.find(({ kind }) => kind === "result")).toMatchObject({
    session: "s1",
    uuid: out["uuid"],
    snippet: "hay needle here",
    timestamp: out["timestamp"],
    offset: expect.any(Number),
  });
});

test("rank is phrase over words, prompt over answer over tool, newer over older, then a fixed order", async () => {
  const p = (text: string, day: number) => prompt(null, text, at(day));
  put("s1", [p("red apple pie", 1), answer(null, "red apple", {}, at(9)), p("apple so red", 8)]);
  put("s2", [p("a red apple", 2), answer(null, [toolUse("t", "Write", { text: "red apple" })], {}, at(9))]);
  put("s0", [p("red apple tart", 1)]);
  const ranked = (await search("red apple")).map((hit) => hit.replace(/ turn \d/, ""));
  expect(ranked).toEqual(["s2 prompt", "s0 prompt", "s1 prompt", "s1 answer", "s2 tool", "s1 prompt words"]);
  const first = await search("red apple", { limit: 2 });
  expect(first.length).toBe(2);
  expect((await searchSessions("red apple", { ...where, limit: 2 })).total).toBe(6);
});

test("a search can be limited by letter case, regular expression, project, time and agents", async () => {
  const p = prompt(null, "Quick Brown fox 42", { ...at(1), cwd: "/w/one" });
  put("s1", [p], "-w-one");
  put("s2", [prompt(null, "quick brown", { ...at(5), cwd: "/w/two" })], "-elsewhere");
  write(join(home, "projects/-w-one/s1/subagents/agent-a1.jsonl"), [
    sidechain("a1", prompt(null, "quick agent", at(3))),
  ]);
  expect((await search("QUICK BROWN")).length).toBe(2);
  expect(await search("Quick Brown", { matchCase: true })).toEqual(["s1 prompt turn 1"]);
  expect(await search("fox \\d+$", { regex: true })).toEqual(["s1 prompt turn 1"]);
  expect(await search("quick", { project: "/w/one" })).toEqual(["s1 prompt turn 1"]);
  expect(await search("quick", { project: "/w/two" })).toEqual(["s2 prompt turn 1"]);
  expect(await search("quick", { sinceMs: Date.parse("2026-01-03T00:00:00Z") })).toEqual(["s2 prompt turn 1"]);
  const agents = await searchSessions("quick agent", { ...where, agents: true });
  expect(agents.hits).toMatchObject([{ session: "s1", agentId: "a1", kind: "prompt" }]);
  utimesSync(join(home, "projects/-elsewhere/s2.jsonl"), 1, 1);
  expect(await search("brown", { sinceMs: 5000 })).toEqual(["s1 prompt turn 1"]);
  expect(await search("  ")).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "a linked project folder gives each hit once, under either name",
  async () => {
    put("s1", [prompt(null, "find the needle", at(1))]);
    symlinkSync("-p", join(home, "projects", "-a-link"));
    for (const project of [undefined, "/p", "/a/link"]) {
      const options = { ...where, ...(project === undefined ? {} : { project }) };
      expect(await searchSessions("needle", options)).toMatchObject({ total: 1, files: 1 });
      expect(await searchIndex("needle", options)).toMatchObject({ total: 1 });
    }
  },
);

test("damaged lines do not stop a search, and a line that only looks like a match is not a hit", async () => {
  const p = prompt(null, "plain");
  put("s1", ["{junk needle", p, prompt(null, "x", { gitBranch: "needle" }), prompt(null, "a needle")]);
  expect(await search("needle")).toEqual(["s1 prompt turn 1"]);
});

test("the needle is found in every spelling that JSON allows", async () => {
  const words = ["naïve", "😀 smile", 'say "hi"', "C:\\path", "a/b", "<tag>", "ÄÖ", "plain"];
  const escaped = (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^\0-\x7f]|[<>a-z]/gu, (char) =>
        [...Array(char.length).keys()]
          .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0").toUpperCase()}`)
          .join(""),
      );
  for (const [index, word] of words.entries()) {
    const line = JSON.stringify(prompt(null, "@@", { uuid: `u${index}` }));
    put("s1", [
      line.replace("@@", () => JSON.stringify(word).slice(1, -1)),
      line.replace("@@", () => escaped(word)).replace(`u${index}`, `v${index}`),
    ]);
    expect((await searchSessions(word, where)).total).toBe(2);
    expect((await searchSessions(word.toUpperCase(), where)).total).toBe(2);
    expect((await searchSessions(word, { ...where, matchCase: true })).total).toBe(2);
  }
});

test("no match is in bytes that the search skips (property)", () => {
  const text = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    .filter((one) => one.trim() !== "" && !/\s/u.test(one));
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (before, word, after, matchCase) => {
      const latin1 = Buffer.from(JSON.stringify({ text: before + word + after })).toString("latin1");
      const needle = searchPattern(word, { matchCase });
      if (needle.find(before + word + after) !== undefined)
        expect([...needle.candidateOffsets(latin1)]).not.toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

describe("the index", () => {
  const indexed = async (query: string, options: SearchOptions = {}) => {
    const { hits } = await searchIndex(query, { ...where, ...options });
    return hits.map(({ session, kind, phrase }) => `${session} ${kind}${phrase ? "" : " words"}`);
  };

  test("gives the same hits as the scan, and takes in what is new", async () => {
    const file = put("s1", [
      prompt(null, "red apple", at(1)),
      answer(null, "an apple, red", {}, at(2)),
      answer(null, [toolUse("t", "Bash", { command: "red apple" })], {}, at(3)),
    ]);
    expect(await indexed("red apple")).toEqual(["s1 prompt", "s1 answer words"]);
    appendFileSync(file, `${JSON.stringify(prompt(null, "another red apple", at(5)))}\n`);
    put("s2", [{ type: "ai-title", aiTitle: "Red apple title", sessionId: "s2" }]);
    expect(await indexed("red apple")).toEqual(["s1 prompt", "s1 prompt", "s2 title", "s1 answer words"]);
    const database =
      readdirSync(join(home, "state")).find((name) => name.startsWith("search-") && name.endsWith(".db")) ?? "";
    expect(statSync(join(home, "state", database)).mode & 0o777).toBe(0o600);
  });

  test("a replaced or vanished file gives no stale hits, and a broken table is rebuilt", async () => {
    const file = put("s1", [prompt(null, "red apple")]);
    put("s2", [prompt(null, "red pear")]);
    expect(await indexed("red")).toEqual(["s2 prompt", "s1 prompt"]);
    writeFileSync(file, `${JSON.stringify(prompt(null, "green apple, longer than before"))}\n`);
    rmSync(join(home, "projects/-p/s2.jsonl"));
    expect(await indexed("red")).toEqual([]);
    expect(await indexed("green")).toEqual(["s1 prompt"]);
    const database = readdirSync(join(home, "state")).find((name) => name.endsWith(".db")) ?? "";
    writeFileSync(join(home, "state", database), "garbage ".repeat(1000));
    expect(await indexed("green")).toEqual(["s1 prompt"]);
  });

  test("quotes and operators in the query are words", async () => {
    put("s1", [prompt(null, 'say "NOT" OR (this*)')]);
    for (const query of ['"not"', "OR", "(this*)", "NEAR(", "a AND"]) await indexed(query);
    expect(await indexed("say")).toEqual(["s1 prompt"]);
  });
});

test("a table of words that cannot be made leaves the search to the transcripts", async () => {
  write(join(home, "projects/p/s.jsonl"), [prompt(null, "a red house", at(1))]);
  mkdirSync(join(home, "state", `search-2-${sqliteDriver()}.db`), { recursive: true, mode: 0o700 });
  const found = await searchIndex("red", where);
  expect([found.total, found.hits[0]?.snippet]).toEqual([1, "a red house"]);
});
