import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import type { Io } from "../command-line/command.ts";
import { main } from "../main.ts";

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hookline-log-"));
  mkdirSync(join(home, "log"));
  file = join(home, "log", "hooks.jsonl");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const record = (fields: object) =>
  `${JSON.stringify({ time: new Date().toISOString(), session: "abcdef0123456789", event: "PreToolUse", tool: "Bash", ms: 1.5, answer: "none", handlers: [], ...fields })}\n`;

test("log prints a line per record, filtered by session, event, handler, decision, failure, time and duration", async () => {
  const old = new Date(Date.now() - 3 * 36e5).toISOString();
  writeFileSync(
    `${file}.1`,
    record({ time: old, answer: "refused", reason: "old", handlers: [{ name: "guard", outcome: "answered", ms: 1 }] }),
  );
  writeFileSync(
    file,
    [
      record({ answer: "refused", reason: "no", handlers: [{ name: "guard", outcome: "answered", ms: 1 }] }),
      record({
        event: "Stop",
        tool: undefined,
        ms: 250,
        handlers: [{ name: "h", outcome: "failed", ms: 250, error: "boom" }],
      }),
      record({ session: "fedcba", tool: "Read", answer: "allow" }),
      "no json\n",
      record({ handler: "guard", level: "warn", message: "careful", data: { n: 1 } }),
    ].join(""),
  );
  const count = async (...args: string[]) => (await run("--json", ...args)).out.split("\n").length - 1;
  expect(await count()).toBe(5);
  expect(await count("--session", "abc")).toBe(4);
  expect(await count("--event", "PreToolUse:Bash")).toBe(3);
  expect(await count("--event", "Stop")).toBe(1);
  expect(await count("--handler", "guard")).toBe(3);
  expect(await count("--decision", "deny")).toBe(2);
  expect(await count("--failed")).toBe(1);
  expect(await count("--slow", "100")).toBe(1);
  expect(await count("--since", "1h")).toBe(4);
  expect(await count("--since", "1h", "--decision", "refused")).toBe(1);
  const all = await run();
  expect(all.err).toBe("hookline: 1 line of the log could not be read.\n");
  expect(all.out.split("\n").map((line) => line.replace(/^[\d :.-]{23} {2}/, ""))).toEqual([
    "PreToolUse Bash  denied  1.5 ms  guard answered  “old”  abcdef01",
    "PreToolUse Bash  denied  1.5 ms  guard answered  “no”  abcdef01",
    "Stop  none  250 ms  h failed (boom)  abcdef01",
    "PreToolUse Read  allow  1.5 ms  fedcba",
    'PreToolUse Bash  warn  guard: careful {"n":1}',
    "",
  ]);
  for (const wrong of [
    ["--slow", "much"],
    ["--since", "once"],
    ["--decision", "dney"],
  ]) {
    expect(await run(...wrong)).toMatchObject({ code: 1, err: expect.stringContaining(wrong[0] ?? "") });
  }
});

test("a printed time is local: --since reads it as the same moment", async () => {
  const zone = process.env["TZ"];
  process.env["TZ"] = "Asia/Tokyo";
  try {
    writeFileSync(file, [record({ time: "2026-01-31T15:00:00.001Z" }), record({ time: "not a time" })].join(""));
    const [first = "", second] = (await run()).out.split("\n");
    expect([first.slice(0, 23), second?.slice(0, 12)]).toEqual(["2026-02-01 00:00:00.001", "not a time  "]);
    expect((await run("--since", first.slice(0, 23))).out).toBe(`${first}\n`);
    expect((await run("--since", "2026-02-01 00:00:00.002")).out).toBe("");
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

test("an event, a tool or a handler that the log does not have is named on stderr, with the closest name, and so is a filter that nothing matches", async () => {
  writeFileSync(file, record({ handlers: [{ name: "guard", outcome: "answered", ms: 1 }] }));
  const err = async (...args: string[]) => (await run(...args)).err;
  expect(await err("--event", "PreTolUse", "--json")).toBe(
    'hookline: The log has no event "PreTolUse". Did you mean "PreToolUse"?\n',
  );
  expect(await err("--event", "PreToolUse:Bahs", "--json")).toBe(
    'hookline: The log has no tool "Bahs". Did you mean "Bash"?\n',
  );
  expect(await err("--handler", "gaurd", "--json")).toBe(
    'hookline: The log has no handler "gaurd". Did you mean "guard"?\n',
  );
  expect(await err("--handler", "nosuch", "--json")).toBe('hookline: The log has no handler "nosuch".\n');
  expect([await err("--event", "Stop"), await err("--session", "zzz"), await err("--event", "Stop", "--json")]).toEqual(
    ["hookline: No record matches.\n", "hookline: No record matches.\n", ""],
  );
});

test("control characters are shown as symbols, and escaped in JSON", async () => {
  writeFileSync(
    file,
    record({
      answer: "refused",
      reason: "\u001b[2J\u009b31m\u202etxt",
      handlers: [{ name: "a\u0007b", outcome: "failed", ms: 1 }],
    }),
  );
  const shown = [
    [[], "␛[2J‹U+009B›31m‹U+202E›txt", "a␇b"],
    [["--json"], "\\u001b[2J\\u009b31m\\u202etxt", "a\\u0007b"],
  ] as const;
  for (const [args, reason, name] of shown) {
    const { out } = await run(...args);
    expect(out).toContain(reason);
    expect(out).toContain(name);
    expect(out.replace(/\n/g, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  }
});

test("an app that did not load is printed as failed, with the reason", async () => {
  writeFileSync(
    file,
    record({ event: "", tool: undefined, ms: undefined, answer: "none", failed: "hooks.ts does not load" }),
  );
  expect((await run()).out).toMatch(/ {2}- {2}failed {2}“hooks\.ts does not load”/);
});

test("a missing log is reported as empty and is not an error", async () => {
  rmSync(join(home, "log"), { recursive: true });
  expect(await run()).toEqual({ code: 0, out: "", err: "hookline: No events logged yet.\n" });
  expect(await run("--json")).toEqual({ code: 0, out: "", err: "" });
});

test("--follow prints new records until it is interrupted", async () => {
  writeFileSync(file, record({ reason: "first" }));
  const ending = new AbortController();
  const seen: string[] = [];
  const done = called(["--follow", "--json"], (text) => void seen.push(...text.trimEnd().split("\n")), ending.signal);
  await until("the first record is printed", () => seen.length === 1);
  appendFileSync(file, record({ reason: "second" }));
  await until("the second record is printed", () => seen.length === 2);
  ending.abort();
  expect(await done).toBe(0);
  expect(seen.map((line) => (JSON.parse(line) as { reason: string }).reason)).toEqual(["first", "second"]);
});

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await called(
    args,
    (text) => out.push(text),
    new AbortController().signal,
    (text) => err.push(text),
  );
  return { code, out: out.join(""), err: err.join("") };
}

function called(
  args: readonly string[],
  out: (text: string) => unknown,
  signal: AbortSignal,
  err: (text: string) => unknown = () => undefined,
): Promise<number> {
  const io = {
    ...{ env: { HOOKLINE_HOME: home }, cwd: home, home, signal },
    terminal: { out: false, err: false, colour: false, columns: 80 },
    out: async (text: string) => void out(text),
    err: async (text: string) => void err(text),
  };
  return main(["log", ...args], io as unknown as Io);
}
