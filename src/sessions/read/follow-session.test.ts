import { appendFileSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import { prompt, sidechain, write } from "../fixtures/transcript.ts";
import { type FollowEvent, type FollowOptions, followSession } from "./follow-session.ts";

let folder: string;
let abort: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-follow-"));
  abort = new AbortController();
});
afterEach(() => {
  abort.abort();
  rmSync(folder, { recursive: true, force: true });
});

const place = () => ({
  id: "s1",
  root: { path: folder, origin: "client" } as const,
  project: "p",
  folder,
  file: join(folder, "s1.jsonl"),
});
const mode = (name: string) => `{"type":"mode","mode":"${name}","sessionId":"s1"}`;

function brief(event: FollowEvent): string {
  const whose = event.agentId === undefined ? "" : ` ${event.agentId}`;
  if (event.kind !== "entry") return `${event.kind}${whose}`;
  return `${"mode" in event.entry ? event.entry.mode : event.entry.kind}${whose}`;
}

/** Collects events while the test continues; `seen(n)` waits for that many. */
function start(options: FollowOptions = {}) {
  const events: string[] = [];
  let notify: (() => void) | undefined;
  const following = followSession(place(), { signal: abort.signal, ...options });
  const done = (async () => {
    for await (const event of following) {
      events.push(brief(event));
      notify?.();
    }
  })();
  const seen = async (count: number): Promise<string[]> => {
    while (events.length < count)
      await new Promise<void>((go) => {
        notify = go;
      });
    return events.splice(0, count);
  };
  return { seen, done, following, events };
}

test("new entries of the main file and of agents that begin later, as they are written", async () => {
  const file = write(join(folder, "s1.jsonl"), [mode("old")]);
  const { seen, following } = start();
  await until("the first look is done", () => following.cursors()[file] !== undefined);
  appendFileSync(file, `${mode("a")}\n`);
  expect(await seen(1)).toEqual(["a"]);
  write(join(folder, "s1/subagents/agent-x.jsonl"), [sidechain("x", prompt(null, "in"))]);
  expect(await seen(2)).toEqual(["agent x", "user x"]);
  appendFileSync(join(folder, "s1/subagents/agent-x.jsonl"), `${mode("in x")}\n`);
  expect(await seen(1)).toEqual(["in x x"]);
});

test("half a line is not an entry until its newline is there", async () => {
  const file = write(join(folder, "s1.jsonl"), []);
  const { seen, following } = start({ pollMs: 20 });
  await until("the first look is done", () => following.cursors()[file] !== undefined);
  appendFileSync(file, mode("a").slice(0, 10));
  // The main file is read before those of agents.
  write(join(folder, "s1/subagents/agent-x.jsonl"), [mode("in x")]);
  expect(await seen(2)).toEqual(["agent x", "in x x"]);
  appendFileSync(file, `${mode("a").slice(10)}\n${mode("b")}`);
  expect(await seen(1)).toEqual(["a"]);
  appendFileSync(file, "\n");
  expect(await seen(1)).toEqual(["b"]);
});

test("truncation, replacement and removal are events", async () => {
  const file = write(join(folder, "s1.jsonl"), [mode("a"), mode("b")]);
  const { seen } = start({ from: "start", pollMs: 20 });
  expect(await seen(2)).toEqual(["a", "b"]);
  truncateSync(file, mode("a").length + 1);
  expect(await seen(2)).toEqual(["reset", "a"]);
  writeFileSync(join(folder, "new"), `${mode("c")}\n${mode("d")}\n`);
  renameSync(join(folder, "new"), file);
  expect(await seen(3)).toEqual(["reset", "c", "d"]);
  rmSync(file);
  expect(await seen(1)).toEqual(["removed"]);
  write(file, [mode("e")]);
  expect(await seen(2)).toEqual(["reset", "e"]);
});

test("a later follower continues from the cursors of an earlier one", async () => {
  const file = write(join(folder, "s1.jsonl"), [mode("a")]);
  const first = start({ from: "start" });
  await first.seen(1);
  await until("its place is kept", () => first.following.cursors()[file] !== undefined);
  abort.abort();
  await first.done;
  const from = first.following.cursors();
  appendFileSync(file, `${mode("b")}\n`);
  abort = new AbortController();
  expect(await start({ from }).seen(1)).toEqual(["b"]);
});

test("a session whose file does not exist yet is followed from its first line", async () => {
  const agent = write(join(folder, "s1/subagents/agent-x.jsonl"), [mode("old")]);
  const { seen, following } = start({ pollMs: 20 });
  await until("the first look is done", () => following.cursors()[agent] !== undefined);
  write(join(folder, "s1.jsonl"), [mode("a")]);
  expect(await seen(1)).toEqual(["a"]);
});

test.skipIf(process.platform !== "linux")("abort ends the iteration and leaves no descriptor open", async () => {
  write(join(folder, "s1.jsonl"), [mode("a")]);
  const before = readdirSync("/proc/self/fd").length;
  const { seen, done } = start({ from: "start" });
  await seen(1);
  abort.abort();
  await done;
  await expect.poll(() => readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 1);
});
