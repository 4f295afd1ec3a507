import { afterEach, expect, test } from "vitest";
import type { ModelRequest } from "../../models/internal.ts";
import { makeWorld, type World } from "../fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const summary = { when: { purpose: "compaction" as const }, text: "<summary>SUMMARY-MARK</summary>" };
const print = { calls: [{ tool: "Bash", input: { command: "printf 'word %.0s' $(seq 5000)" } }] };
const permissionMode = "bypassPermissions";
const tooLong = { error: { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" } };

function sizeOf(request: ModelRequest | undefined): number {
  return JSON.stringify(request?.messages ?? "").length;
}

test("compaction of a conversation with tool calls defines the tools and allows no call", async () => {
  world = makeWorld({ hooks: {} });
  const answers = [{ ...print, usage: { input: 900 } }, summary, { text: "ok" }];
  const { requests, complaints, result } = await world.run(answers, { prompt: "go", compactAt: 500, permissionMode });
  const [asked] = requests.filter(({ purpose }) => purpose === "compaction");
  expect(asked?.tools.map(({ name }) => name)).toContain("Bash");
  expect(asked?.toolChoice).toEqual({ type: "none" });
  expect(JSON.stringify(asked?.messages)).toContain("tool_result");
  expect([result.result, complaints]).toEqual(["ok", []]);
});

test("recovery from a prompt that is too long shortens the conversation before it asks for the summary", async () => {
  world = makeWorld({ hooks: {} });
  const { requests, complaints, result } = await world.run([print, tooLong, summary, { text: "ok" }], {
    prompt: "go",
    permissionMode,
  });
  const [, whole, asked, again] = requests;
  expect(requests.map(({ purpose }) => purpose)).toEqual(["main", "main", "compaction", "main"]);
  expect(sizeOf(asked)).toBeLessThan(sizeOf(whole));
  expect(sizeOf(again)).toBeLessThan(sizeOf(whole));
  expect(JSON.stringify(again?.messages)).toContain("SUMMARY-MARK");
  expect([result.result, complaints]).toEqual(["ok", []]);
});

test("a compaction that is itself too long is shortened step by step", async () => {
  world = makeWorld({ hooks: {} });
  const again = { ...tooLong, when: { purpose: "compaction" as const }, times: 3 };
  const { requests, complaints, result } = await world.run([print, tooLong, again, summary, { text: "ok" }], {
    prompt: "go",
    permissionMode,
  });
  const sizes = requests.filter(({ purpose }) => purpose === "compaction").map(sizeOf);
  expect(sizes).toHaveLength(4);
  expect([...sizes].sort((a, b) => b - a)).toEqual(sizes);
  expect(sizes[3]).toBeLessThan(sizes[0] ?? 0);
  expect([result.result, complaints]).toEqual(["ok", []]);
});

test("a turn in which the conversation grows too long twice recovers twice", async () => {
  world = makeWorld({ hooks: {} });
  const again = { ...summary, text: "<summary>SECOND-MARK</summary>" };
  const answers = [print, tooLong, summary, print, tooLong, again, { text: "ok" }];
  const { complaints, result } = await world.run(answers, { prompt: "go", permissionMode });
  expect([result.result, complaints]).toEqual(["ok", []]);
});

test("an answer that fills the window is continued after a compaction", async () => {
  world = makeWorld({ hooks: {} });
  const cut = { text: "half of it", stopReason: "model_context_window_exceeded", usage: { input: 900, output: 100 } };
  const { requests, complaints, result } = await world.run([cut, summary, { text: "all of it" }], {
    prompt: "go",
    compactAt: 800,
  });
  expect(requests.map(({ purpose }) => purpose)).toEqual(["main", "compaction", "main"]);
  expect([result.result, complaints]).toEqual(["all of it", []]);
});

test("a session that was compacted twice in a row resumes with the last summary alone", async () => {
  world = makeWorld({ hooks: {} });
  const second = { ...summary, text: "<summary>SECOND-MARK</summary>" };
  // The first compaction does not help enough: the API finds the conversation too long before any answer.
  const long = { ...print, usage: { input: 900 } };
  const run = await world.run([long, summary, tooLong, second, { text: "ok" }], {
    prompt: "go",
    compactAt: 500,
    permissionMode,
  });
  expect([run.result.result, run.complaints]).toEqual(["ok", []]);
  const { requests } = await world.run([{ text: "again" }], { prompt: "next", resume: run.result.session_id });
  const sent = JSON.stringify(requests[0]?.messages);
  expect([sent.includes("SECOND-MARK"), sent.includes("SUMMARY-MARK")]).toEqual([true, false]);
});
