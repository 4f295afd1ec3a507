import { appendFileSync, cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { repairSession } from "./check/repair-session.ts";
import { validateSession } from "./check/validate-session.ts";
import { exportSession } from "./export/export-session.ts";
import { listSessions } from "./find/find-sessions.ts";
import { findSessions } from "./find/session-files.ts";
import { findTranscripts } from "./find/transcript-files.ts";
import { answer, prompt, recorded, result, sidechain, toolUse, type Wire, write } from "./fixtures/transcript.ts";
import { liveSessions } from "./home/live-sessions.ts";
import { archiveSession } from "./keep/archive-session.ts";
import { migrateSession } from "./keep/migrate-session.ts";
import { readSpilledOutput } from "./parts/part-files.ts";
import { searchSessions } from "./query/search-sessions.ts";
import { followSession } from "./read/follow-session.ts";
import { openSession, sessionAt } from "./session.ts";
import { forkSession } from "./write/fork-session.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-session-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (id = "s1") => ({
  id,
  root: { path: folder, origin: "client" } as const,
  project: "p",
  folder,
  file: join(folder, `${id}.jsonl`),
});
const line = (wire: Wire) => `${JSON.stringify(wire)}\n`;

async function readsDuring(work: () => Promise<unknown>): Promise<number> {
  const handle = await open(folder, "r");
  const proto = Object.getPrototypeOf(handle) as { read: (...args: unknown[]) => Promise<{ bytesRead: number }> };
  await handle.close();
  const { read } = proto;
  let bytes = 0;
  proto.read = async function (this: unknown, ...args: unknown[]) {
    const answered = await read.apply(this, args);
    bytes += answered.bytesRead;
    return answered;
  };
  try {
    await work();
  } finally {
    proto.read = read;
  }
  return bytes;
}

describe("loading", () => {
  test("opening reads nothing, and concurrent callers share one load", async () => {
    const p = prompt(null, "go");
    write(join(folder, "s1.jsonl"), [p, ...Array.from({ length: 2000 }, () => answer(p, "x".repeat(400)))]);
    expect(await readsDuring(async () => void (await openSession(place())))).toBe(0);
    const session = await openSession(place());
    const once = await readsDuring(() => session.load());
    const other = await openSession(place());
    const shared = await readsDuring(() =>
      Promise.all([other.load(), other.load(), other.query().count(), other.stats(), other.finalText()]),
    );
    expect(shared).toBe(once);
    expect(await other.load()).toBe(await other.load());
  });

  test("one caller may abort without ending the load for the others", async () => {
    write(join(folder, "s1.jsonl"), [prompt(null, "go")]);
    const session = sessionAt(place());
    const abort = new AbortController();
    const left = session.load(abort.signal);
    const stays = session.load();
    abort.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect((await stays).main.entries.length).toBe(1);
  });

  test("a load that failed is tried again", async () => {
    const session = sessionAt(place());
    await expect(session.load()).rejects.toMatchObject({ code: "sessions/unreadable-file" });
    write(join(folder, "s1.jsonl"), [prompt(null, "go")]);
    expect((await session.load()).main.entries.length).toBe(1);
  });

  test("a header is read from the file as it is now", async () => {
    write(join(folder, "s1.jsonl"), [prompt(null, "go")]);
    const session = sessionAt(place());
    expect((await session.header()).lastPrompt).toBe("go");
    appendFileSync(session.place.file, line(prompt(null, "on")));
    expect((await session.header()).lastPrompt).toBe("on");
  });

  test("a header or a refresh that failed does not spoil later calls", async () => {
    const file = join(folder, "s1.jsonl");
    const session = sessionAt(place());
    await expect(session.header()).rejects.toMatchObject({ code: "sessions/unreadable-file" });
    const p = prompt(null, "go");
    write(file, [p]);
    expect((await session.header()).title).toBe("go");
    expect((await session.load()).main.entries.length).toBe(1);

    rmSync(file);
    await expect(session.refresh()).rejects.toMatchObject({ code: "sessions/unreadable-file" });
    await expect(session.header()).rejects.toMatchObject({ code: "sessions/unreadable-file" });
    write(file, [p, answer(p, "done")]);
    expect((await session.load()).main.entries.length).toBe(2);
    expect(await session.refresh()).toBe(false);
    expect(await session.finalText()).toBe("done");
    expect((await session.header()).title).toBe("go");
  });
});

test("with the option missing a session without a file is empty, and fills when the file is written", async () => {
  const file = join(folder, "s9.jsonl");
  const session = await openSession(file, { missing: "empty" });
  expect([
    (await session.load()).main.entries,
    await session.query().count(),
    await session.finalText(),
    await session.window({ last: 3 }),
  ]).toEqual([[], 0, "", []]);
  expect(await session.header()).toEqual({ file, sizeBytes: 0, modifiedMs: 0 });
  write(file, [prompt(null, "go")]);
  await session.refresh();
  expect(await session.query().count()).toBe(1);
  await expect(openSession(join(folder, "none.jsonl"))).rejects.toMatchObject({ code: "sessions/not-found" });
});

describe("refreshing and caching", () => {
  test("a refresh reads only what is new, in every file, and a torn tail when it is whole", async () => {
    const p = prompt(null, "go".repeat(50_000));
    const file = write(join(folder, "s1.jsonl"), [p]);
    const session = sessionAt(place());
    await session.load();
    expect(await session.refresh()).toBe(false);
    const a = answer(p, "one");
    appendFileSync(file, line(a).slice(0, -1));
    expect(await session.refresh()).toBe(true);
    expect((await session.load()).main.entries.map(({ unterminated }) => unterminated)).toEqual([undefined, true]);
    appendFileSync(file, `\n${line(answer(a, "two"))}`);
    const bytes = await readsDuring(async () => void (await session.refresh()));
    expect(bytes).toBeLessThan(10_000);
    expect((await session.load()).main.entries.map(({ line: number, unterminated }) => [number, unterminated])).toEqual(
      [
        [1, undefined],
        [2, undefined],
        [3, undefined],
      ],
    );
    write(join(folder, "s1/subagents/agent-x.jsonl"), [sidechain("x", prompt(null, "in"))]);
    expect(await session.refresh()).toBe(true);
    expect((await session.load()).agents.length).toBe(1);
    writeFileSync(file, line(prompt(null, "all new")));
    await session.refresh();
    expect((await session.load()).main.entries.length).toBe(1);
  });
});

describe("spilled outputs", () => {
  const use = (path: string) => {
    const p = prompt(null, "go");
    const a = answer(p, [toolUse("t1")], { stop: "tool_use" });
    return [
      p,
      a,
      result(a, "t1", "<persisted-output>", { toolUseResult: { persistedOutputPath: path, persistedOutputSize: 3 } }),
    ];
  };
  const spilled = async (path: string) => {
    write(join(folder, "s1.jsonl"), use(path));
    const model = await sessionAt(place()).load();
    const tool = model.toolCall("t1");
    return tool === undefined ? undefined : readSpilledOutput(model.place, tool);
  };

  test("the recorded output is found in its session's own folder, though the path in the record is of another machine", async () => {
    cpSync(join(recorded, "g-large-and-image"), folder, { recursive: true });
    const model = await sessionAt(place("6c14e30e-19c7-474f-9e66-5a1b83c07fa9")).load();
    const tool = model.toolCalls.find((one) => one.spilled !== undefined);
    expect(tool?.spilled).toMatchObject({ sizeBytes: 228_894 });
    const text = tool === undefined ? undefined : await readSpilledOutput(model.place, tool);
    expect(text?.length).toBe(228_894);
  });

  test("a path inside a record opens nothing outside the session", async () => {
    writeFileSync(join(folder, "secret.txt"), "secret");
    write(join(folder, "s1/tool-results/x.txt"), ["ok"]);
    expect(await spilled("/etc/passwd")).toBeUndefined();
    expect(await spilled("../../secret.txt")).toBeUndefined();
    expect(await spilled("C:\\elsewhere\\x.txt")).toBe("ok\n");
    for (const bad of ["..", "/tmp/..", "a\0b", "CON", ""]) {
      await expect(spilled(bad)).rejects.toMatchObject({ code: "sessions/unsafe-id" });
    }
    symlinkSync(join(folder, "secret.txt"), join(folder, "s1/tool-results/link.txt"));
    await expect(spilled("link.txt")).rejects.toMatchObject({ code: "sessions/unsafe-id" });
  });
});

test.each<[string, () => unknown, string]>([
  [
    "an empty window",
    () => sessionAt(place()).window({} as never),
    "window must be one of { from }, { around } and { last }",
  ],
  [
    "a window of NaN",
    () => sessionAt(place()).window({ last: Number.NaN }),
    "last of window must be a whole number from 0 on",
  ],
  ["a limit of NaN", () => sessionAt(place()).window({ from: 1, limit: Number.NaN }), "limit of window must be"],
  [
    "a window from NaN",
    () => sessionAt(place()).window({ from: Number.NaN }),
    "from of window must be a whole number from 0 on",
  ],
  [
    "a number as a session",
    () => openSession(5 as never),
    'openSession needs an id or its beginning, "last", a path, or a place; it got 5. For a result of listSessions pass its place.',
  ],
  [
    "a text as roots",
    () => openSession("1234", { roots: folder as never }),
    "roots must be a list of directories, not ",
  ],
  ["a search limited to NaN", () => searchSessions("x", { roots: [], limit: Number.NaN }), "limit of searchSessions"],
  [
    "a misspelled option of a search",
    () => searchSessions("mug", { root: "x" } as never),
    'no option "root". Did you mean',
  ],
  [
    "a misspelled option of liveSessions",
    () => liveSessions({ root: "x" } as never),
    'no option "root". Did you mean roots?',
  ],
  ["an option of load", () => sessionAt(place()).load({ branch: "x" } as never), "signal must be an AbortSignal, not "],
  ["an option of refresh", () => sessionAt(place()).refresh({} as never), "signal must be an AbortSignal, not "],
  ["a misspelled option of stats", () => sessionAt(place()).stats({ prize: 1 } as never), "Did you mean price?"],
  [
    "a misspelled option of entries",
    () =>
      sessionAt(place())
        .entries({ sginal: 1 } as never)
        .next(),
    "Did you mean signal?",
  ],
  [
    "a misspelled option of window",
    () => sessionAt(place()).window({ last: 1, limti: 1 } as never),
    "Did you mean limit?",
  ],
  ["a misspelled option of openSession", () => openSession("5e6f", { root: "x" } as never), "Did you mean roots?"],
  [
    "a root that does not exist",
    () => listSessions({ roots: ["/nope"] }).next(),
    'roots contains "/nope", which does not exist.',
  ],
  ["a root without sessions", () => listSessions({ roots: [folder] }).next(), "which does not contain projects/."],
  ["a search for a number", () => searchSessions(5 as never, { roots: [] }), "query must be a string, not 5."],
  ["a bad expression", () => searchSessions("(", { roots: [], regex: true }), "Invalid regular expression"],
  [
    "a list since NaN",
    () => listSessions({ roots: [], sinceMs: Number.NaN }).next(),
    "sinceMs of listSessions must be a number of milliseconds, not NaN.",
  ],
  [
    "an id to follow",
    () => followSession("1234" as never),
    'place must be the place of a session, such as place of an opened session, not "1234".',
  ],
  ["an id to validate", () => validateSession("1234" as never), "place must be the place of a session, "],
  [
    "an opened session to repair",
    () => repairSession(sessionAt(place()) as never),
    "place must be the place of a session, ",
  ],
  ["to find sessions without roots", async () => findSessions(undefined as never), "roots must be a list of roots, "],
  [
    "to find transcripts below a path",
    () => findTranscripts("/x" as never),
    'roots must be a list of roots, such as [session.place.root], not "/x".',
  ],
  ["an id to fork", () => forkSession("1234" as never), "place must be the place of a session, "],
  ["an id to archive", () => archiveSession("1234" as never), "place must be the place of a session, "],
  ["nothing to migrate", () => migrateSession(undefined as never), "place must be the place of a session, "],
  ["an id to export", () => exportSession("1234" as never, "html"), 'session must be an object, not "1234".'],
  [
    "a format of export",
    () => exportSession(sessionAt(place()), "md" as never),
    'format must be one of "markdown", "html", "json", not "md".',
  ],
  ["to follow from null", () => followSession(place(), { from: null as never }), "from must be "],
  [
    "to follow from nowhere",
    () => followSession(place(), { from: "begin" as never }),
    'from must be "start", "end" or cursors, not ',
  ],
])("%s is refused by name", async (_, ask, message) => {
  const asked = Promise.resolve().then(ask);
  await expect(asked).rejects.toMatchObject({ code: "sessions/option", message: expect.stringContaining(message) });
});
