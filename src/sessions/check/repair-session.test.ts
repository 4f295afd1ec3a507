import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFs } from "../../files/internal.ts";
import { answered, asked, called, nowhere, plain, resulted, world } from "../fixtures/damaged-session.ts";
import { recordedHome, recordedNames } from "../fixtures/recorded-home.ts";
import { answer, prompt, result, sidechain, system, type Wire, write } from "../fixtures/transcript.ts";
import { callFingerprint } from "../keep/replace-session-files.ts";
import { restoreBackup } from "../keep/session-backup.ts";
import { sessionAt } from "../session.ts";
import { repairSession } from "./repair-session.ts";
import { validateSession } from "./validate-session.ts";

test.each(recordedNames)("%s needs no repair, and gets none", async (name) => {
  const { home, places } = await recordedHome(name);
  for (const place of places)
    expect(await repairSession(place, { env: { HOOKLINE_HOME: join(home, "state") }, inPlace: true })).toEqual({
      mends: [],
    });
  expect(await readdir(join(home, "state", "repaired"))).toEqual([]);
});

test("a compaction whose parent is missing is repaired", async () => {
  const boundary = system(answered, "compact_boundary", { parentUuid: nowhere, compactMetadata: { trigger: "auto" } });
  const { place, env } = await world([...plain, boundary, prompt(boundary, "go on")]);
  const { mends, place: repaired = place } = await repairSession(place, { env });
  expect(mends.map(({ code }) => code)).toEqual(["parent-missing"]);
  expect((await validateSession(repaired)).counts.error).toBe(0);
});

test("a dry run that cannot repair a session leaves nothing behind", async () => {
  const { place, env } = await world([asked, called, answered]);
  const stuck = { env, dryRun: true, uuid: () => String(asked["uuid"]) };
  const twice = { ...place, file: write(place.file, [asked, { ...asked, cwd: "/other" }, called, resulted]) };
  await expect(repairSession(twice, stuck)).rejects.toMatchObject({ code: "sessions/not-mendable" });
  expect(await readdir(join(env.HOOKLINE_HOME, "repaired"))).toEqual([]);
});

const flaws: [string, readonly (Wire | string)[], string, string[]][] = [
  [
    "bad lines go to a side file",
    [asked, "{oops", called, "[1]", resulted, "\0\0\0", answered],
    "",
    ["bad-line", "bad-line", "bad-line"],
  ],
  [
    "glued records get a line each",
    [asked, `${JSON.stringify(called)}${JSON.stringify(resulted)}`, `{"type":"us${JSON.stringify(answered)}`],
    "",
    ["bad-line", "bad-line", "bad-line", "bad-line"],
  ],
  ["a torn tail goes to a side file", plain, '{"type":"us', ["torn-tail"]],
  ["a whole last record gets its newline", plain, JSON.stringify(prompt(answered, "more")), ["torn-tail"]],
  [
    "a missing parent becomes the line before",
    [asked, called, resulted, { ...answered, parentUuid: nowhere }],
    "",
    ["parent-missing"],
  ],
  ["a first line with a missing parent becomes the root", plain.slice(1), "", ["parent-missing"]],
  [
    "a ring is cut at its later line",
    [{ ...asked, parentUuid: answered["uuid"] }, called, resulted, answered],
    "",
    ["parent-cycle"],
  ],
  ["a lone call gets a result", [asked, called, answer(called, "done")], "", ["tool-use-without-result"]],
  [
    "a lone result goes to a side file, and its children get its parent",
    [asked, result(asked, "t9"), called, { ...resulted, parentUuid: called["uuid"] }, answered],
    "",
    ["tool-result-without-use"],
  ],
  [
    "a second result goes to a side file",
    [
      ...plain.slice(0, 3),
      { ...result(called, "t1", "again"), uuid: "00000000-0000-4000-8000-eeeeeeeeeeee" },
      { ...answered, parentUuid: "00000000-0000-4000-8000-eeeeeeeeeeee" },
    ],
    "",
    ["duplicate-tool-result", "parent-taken"],
  ],
  [
    "a line with a good and a lone result keeps the good one",
    [
      asked,
      called,
      {
        ...resulted,
        message: {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "ok" },
            { type: "tool_result", tool_use_id: "t9", content: "?" },
          ],
        },
      },
      answered,
    ],
    "",
    ["tool-result-without-use"],
  ],
  [
    "a uuid used twice is replaced",
    [asked, { ...prompt(asked, "other"), uuid: called["uuid"] }, called, resulted, answered],
    "",
    ["duplicate-uuid"],
  ],
  [
    "an invalid uuid is replaced, and its children follow",
    [{ ...asked, uuid: "first" }, { ...called, parentUuid: "first" }, resulted, answered],
    "",
    ["bad-uuid", "parent-taken"],
  ],
  ["an entry without uuid gets one", [...plain, { ...prompt(answered, "more"), uuid: undefined }], "", ["bad-uuid"]],
  [
    "lines of another session get the id of this one",
    [...plain, { ...prompt(answered, "x"), sessionId: "s2" }],
    "",
    ["session-id-mixed"],
  ],
];

test.each(flaws)("%s", async (_, lines, tail, codes) => {
  const { place, env } = await world(lines, tail);
  const before = await readFile(place.file);
  const model = await sessionAt(place).load();
  const dry = await repairSession(place, { env, dryRun: true });
  expect(dry.mends.map(({ code }) => code).sort()).toEqual([...codes].sort());
  const { mends, place: copy, backup } = await repairSession(place, { env });
  if (copy === undefined || backup === undefined) throw new Error("a copy and a backup were promised");
  expect(mends.map(({ code, line }) => `${code} ${line}`)).toEqual(
    dry.mends.map(({ code, line }) => `${code} ${line}`),
  );
  expect(mends.every(({ file }) => file === place.file)).toBe(true);
  expect(await readFile(place.file)).toEqual(before);
  expect((await validateSession(copy)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(callFingerprint(await sessionAt(copy).load())).toBe(callFingerprint(model));
  expect(await repairSession(copy, { env })).toEqual({ mends: [] });
  expect(await readFile(join(backup.folder, "0.bin"))).toEqual(before);
  // Lines that no step names are the same, byte for byte.
  const changed = new Set(mends.map(({ line }) => line));
  const kept = before
    .toString("latin1")
    .split("\n")
    .filter((line, n) => line !== "" && !changed.has(n + 1));
  const after = (await readFile(copy.file)).toString("latin1").split("\n");
  expect(after.filter((line) => kept.includes(line))).toEqual(kept);
});

test("removed content is kept next to the session, byte for byte", async () => {
  const bad = Buffer.from([0x7b, 0xff, 0xfe, 0x0a]);
  const { place, env } = await world(plain);
  await appendFile(place.file, bad);
  await appendFile(place.file, '{"half":');
  const { place: copy } = await repairSession(place, { env });
  if (copy === undefined) throw new Error("a copy was promised");
  const lines = (await readFile(join(copy.folder, "s1", "hookline-set-aside.jsonl"), "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      file: "s1.jsonl",
      line: 5,
      offset: expect.any(Number),
      why: "bad-line, not-json",
      base64: bad.subarray(0, 3).toString("base64"),
    },
    { file: "s1.jsonl", line: 6, offset: expect.any(Number), why: "torn-tail", text: '{"half":' },
  ]);
  expect(await readFile(copy.file, "utf8")).toBe(plain.map((line) => `${JSON.stringify(line)}\n`).join(""));
});

test("a byte order mark, carriage returns, bytes that are not UTF-8 and lone surrogates stay as they are", async () => {
  const { place, env } = await world([]);
  const line = (wire: Wire, end: string) => Buffer.from(`${JSON.stringify(wire)}${end}`);
  const lossy = line(prompt(asked, "?"), "\r\n").map((byte) => (byte === 0x3f ? 0xff : byte));
  const odd = line(prompt(asked, "\ud800\u2028"), "\n");
  const parts = [Buffer.from("\ufeff"), line(asked, "\r\n"), lossy, Buffer.from("\n  \n"), odd];
  await writeFile(place.file, Buffer.concat([...parts, Buffer.from("{oops\n"), line(prompt(asked, "end"), "\n")]));
  await repairSession(place, { env, inPlace: true });
  const after = await readFile(place.file);
  expect(after.equals(Buffer.concat([...parts, after.subarray(Buffer.concat(parts).length)]))).toBe(true);
  expect(after.subarray(Buffer.concat(parts).length).toString("utf8")).toMatch(/^\{"parentUuid".*"end".*\}\n$/);
});

test("in place, the files are swapped and the backup brings them back; a live session is refused", async () => {
  const { place, env } = await world([asked, "{oops", called, answered], "");
  const agent = write(join(place.folder, "s1", "subagents", "agent-a1.jsonl"), [
    sidechain("a1", prompt(null, "go")),
    "oops",
  ]);
  const before = [await readFile(place.file), await readFile(agent)];
  await expect(repairSession(place, { env, inPlace: true, live: true })).rejects.toMatchObject({
    code: "sessions/live",
  });
  const { place: same, backup, mends } = await repairSession(place, { env, inPlace: true });
  expect([same, mends.map(({ file }) => file)]).toEqual([place, expect.arrayContaining([place.file, agent])]);
  expect((await validateSession(place)).counts.error).toBe(0);
  expect(await readdir(join(env.HOOKLINE_HOME, "repaired"))).toEqual([]);
  expect((await readdir(place.folder)).sort()).toEqual(["s1", "s1.jsonl"]);
  if (backup === undefined) throw new Error("a backup was promised");
  await restoreBackup(backup, nodeFs);
  expect([await readFile(place.file), await readFile(agent)]).toEqual(before);
  expect(await readdir(join(place.folder, "s1"))).toEqual(["subagents"]);
});

test("a backup that was tampered with is not restored", async () => {
  const { place, env } = await world([asked, "{oops"]);
  const { backup } = await repairSession(place, { env, inPlace: true });
  if (backup === undefined) throw new Error("a backup was promised");
  const after = await readFile(place.file);
  await writeFile(join(backup.folder, "0.bin"), "other");
  await expect(restoreBackup(backup, nodeFs)).rejects.toMatchObject({ code: "sessions/bad-backup" });
  expect(await readFile(place.file)).toEqual(after);
});
