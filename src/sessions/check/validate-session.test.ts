import { appendFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../files/fixtures/temp-folder.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { recordedHome, recordedNames } from "../fixtures/recorded-home.ts";
import {
  answer,
  attachment,
  prompt,
  result,
  sidechain,
  system,
  toolUse,
  type Wire,
  write,
} from "../fixtures/transcript.ts";
import { validateSession } from "./validate-session.ts";

async function session(lines: readonly (Wire | string)[]): Promise<SessionPlace> {
  const root = await tempFolder();
  const folder = join(root, "projects", "-p");
  return {
    id: "s1",
    root: { path: root, origin: "client" },
    project: "-p",
    folder,
    file: write(join(folder, "s1.jsonl"), lines),
  };
}

async function codes(place: SessionPlace, options = {}): Promise<string[]> {
  const { findings } = await validateSession(place, options);
  return findings.map(({ severity, code, line }) => `${severity} ${code} ${line}`);
}

const asked = prompt(null, "do it");
const called = answer(asked, [toolUse("t1")], { stop: "tool_use" });
const resulted = result(called, "t1");
const answered = answer(resulted, "done");
const plain = [asked, called, resulted, answered];

test.each(recordedNames)("%s has no errors, and looking at it changes nothing", async (name) => {
  const { home, places } = await recordedHome(name);
  const snapshot = async () =>
    Promise.all(
      (await readdir(home, { recursive: true }))
        .sort()
        .map(async (path) => `${path} ${(await stat(join(home, path))).mtimeMs}`),
    );
  const before = await snapshot();
  for (const place of places)
    expect((await validateSession(place)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(await snapshot()).toEqual(before);
});

test("a clean session has no findings", async () => {
  const { findings, counts } = await validateSession(await session(plain));
  expect([findings, counts]).toEqual([[], { error: 0, warning: 0, note: 0 }]);
});

test.each<[string, readonly (Wire | string)[], string[]]>([
  ["a line that is not JSON", [asked, "{oops", called, resulted, answered], ["error bad-line 2"]],
  [
    "two records on one line",
    [asked, `${JSON.stringify(called)}${JSON.stringify(resulted)}`, answered],
    ["error bad-line 2"],
  ],
  [
    "an invalid uuid",
    [{ ...asked, uuid: "../../x" }, { ...called, parentUuid: "../../x" }, resulted, answered],
    ["error bad-uuid 1"],
  ],
  ["an entry without uuid", [...plain, { ...prompt(answered, "more"), uuid: undefined }], ["error bad-uuid 5"]],
  [
    "one uuid, two contents",
    [...plain, { ...prompt(answered, "more"), uuid: asked["uuid"] }],
    ["error duplicate-uuid 5", "error parent-cycle 5", "error root-missing 1"],
  ],
  ["one uuid, the same content", [...plain, answered], ["warning duplicate-uuid 5"]],
  [
    "a missing parent",
    [asked, called, resulted, { ...answered, parentUuid: "00000000-0000-4000-8000-ffffffffffff" }],
    ["error parent-missing 4"],
  ],
  ["a missing beginning", plain.slice(1), ["error parent-missing 1", "error root-missing 1"]],
  [
    "a cycle of parents",
    [{ ...asked, parentUuid: answered["uuid"] }, called, resulted, answered],
    ["error root-missing 1", "error parent-cycle 4"],
  ],
  ["an unanswered call", [asked, called, answer(called, "done")], ["error tool-use-without-result 2"]],
  ["a call that is still running", [asked, called], []],
  [
    "a call that a hook deferred",
    [asked, called, attachment(called, { type: "hook_deferred_tool", toolUseID: "t1" }), prompt(called, "x")],
    [],
  ],
  ["a result without a call", [asked, { ...resulted, parentUuid: asked["uuid"] }], ["error tool-result-without-use 2"]],
  ["two results of one call", [...plain.slice(0, 3), result(called, "t1", "again")], ["error duplicate-tool-result 4"]],
  [
    "lines of another session",
    [...plain, { ...prompt(answered, "x"), sessionId: "s2" }, { ...prompt(answered, "y"), sessionId: "s2" }],
    ["error session-id-mixed 5"],
  ],
  [
    "a child older than its parent",
    [asked, { ...called, timestamp: "2020-01-01T00:00:00.000Z" }, resulted, answered],
    ["warning time-before-parent 2"],
  ],
  [
    "a compaction that continues nothing known",
    [...plain, system(null, "compact_boundary", { logicalParentUuid: "00000000-0000-4000-8000-fffffffffff1" })],
    ["warning logical-parent-missing 5"],
  ],
  ["a call that was cut off", [asked, answer(asked, "par", { stop: null })], ["warning interim-only-call 2"]],
  [
    "lines of a call that disagree",
    [
      asked,
      answer(asked, "a", { id: "m", usage: { input_tokens: 5 } }),
      { ...answer(asked, "b", { id: "m", usage: { input_tokens: 6 } }), requestId: "req_m" },
    ],
    ["warning usage-conflict 2"],
  ],
  ["two versions", [asked, { ...called, version: "2.2.0" }, resulted, answered], ["warning mixed-versions 2"]],
  ["a second beginning", [...plain, prompt(null, "again")], ["note several-roots 5"]],
  ["an unknown type", [...plain, { type: "novelty", sessionId: "s1" }], ["note unknown-type 5"]],
  [
    "an unknown field",
    [{ ...asked, shiny: 1 }, called, { ...resulted, shiny: 2 }, { ...answered, shiny: 3 }],
    ["note unknown-field 1"],
  ],
  [
    "an unlinked agent inside the file",
    [...plain, sidechain("a1", prompt(null, "lonely"))],
    ["warning agent-unlinked 1"],
  ],
])("validate gives the right findings for %s", async (_, lines, expected) => {
  const found = await codes(await session(lines));
  // A line that was moved is also older than its new parent.
  const usual = (code: string) => code.startsWith("warning time-before-parent") && !expected.includes(code);
  expect(found.filter((code) => !usual(code)).sort()).toEqual([...expected].sort());
});

test("bytes that are not UTF-8 are noted", async () => {
  const place = await session(plain);
  const line = Buffer.from(`${JSON.stringify(prompt(answered, "x"))}\n`).map((byte) => (byte === 0x78 ? 0xff : byte));
  await appendFile(place.file, line);
  expect((await codes(place)).filter((code) => code.includes("lossy"))).toEqual(["note lossy-text 5"]);
});

test("an unfinished last line is an error, unless a process is still writing", async () => {
  const place = await session(plain);
  await appendFile(place.file, '{"type":"us');
  const { findings } = await validateSession(place);
  const { size } = await stat(place.file);
  expect(findings).toEqual([
    {
      code: "torn-tail",
      severity: "error",
      file: place.file,
      line: 5,
      offset: size - 11,
      message: "the last 11 bytes have no newline: a writer was stopped",
    },
  ]);
  expect(await codes(place, { live: true })).toEqual([]);
});

test("a subagent without meta and a missing output are warnings", async () => {
  const agents = await recordedHome("b-subagent");
  const [place] = agents.places;
  if (place === undefined) throw new Error("one session was recorded");
  const folder = join(place.folder, place.id, "subagents");
  const [meta = ""] = (await readdir(folder)).filter((name) => name.endsWith(".meta.json")).sort();
  await rm(join(folder, meta));
  expect((await validateSession(place)).findings).toContainEqual(
    expect.objectContaining({ code: "meta-missing", file: join(folder, meta.replace(".meta.json", ".jsonl")) }),
  );
  const [large] = (await recordedHome("g-large-and-image")).places;
  if (large === undefined) throw new Error("one session was recorded");
  expect((await codes(large)).filter((code) => code.includes("spilled"))).toEqual([]);
  await rm(join(large.folder, large.id, "tool-results"), { recursive: true });
  expect((await codes(large)).filter((code) => code.includes("spilled"))).toHaveLength(1);
});

test("callers may add rules of their own", async () => {
  const place = await session(plain);
  const rude = {
    code: "rude",
    severity: "warning" as const,
    file: place.file,
    line: 1,
    offset: 0,
    message: "say please",
  };
  const { findings, counts } = await validateSession(place, {
    checks: [
      ({ model }) =>
        model.main.entries.filter((entry) => entry.kind === "user" && entry.role === "prompt").map(() => rude),
    ],
  });
  expect([findings, counts.warning]).toEqual([[rude], 1]);
});

test("a plain walk loses the results of parallel tools, and everything above a broken link", async () => {
  const many = answer(asked, [toolUse("t1")], { id: "m", stop: "tool_use" });
  const more = answer(many, [toolUse("t2")], { id: "m", stop: "tool_use" });
  const one = result(many, "t1");
  const two = result(more, "t2");
  const end = answer(one, "done");
  const { resume } = await validateSession(await session([asked, many, more, two, one, end]));
  expect(resume).toEqual({
    reached: { entries: 4, prompts: 1, toolResults: 1 },
    missed: { entries: 2, prompts: 0, toolResults: 1 },
  });
  const broken = { ...end, parentUuid: "00000000-0000-4000-8000-ffffffffffff" };
  expect((await validateSession(await session([asked, many, more, two, one, broken]))).resume).toEqual({
    reached: { entries: 1, prompts: 0, toolResults: 0 },
    missed: { entries: 5, prompts: 1, toolResults: 2 },
    breaksAt: { uuid: end["uuid"], parentUuid: broken.parentUuid, line: 6 },
  });
});
