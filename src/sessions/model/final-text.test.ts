import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  answer,
  attachment,
  prompt,
  recorded,
  result,
  sidechain,
  toolUse,
  type Wire,
  write,
} from "../fixtures/transcript.ts";
import { openSession } from "../session.ts";
import { finalText, finalTextAtStop } from "./final-text.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-final-"));
  file = join(folder, "s1.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A clock that never waits; `then` is what happens on disk during the n-th pause. */
function clock(then: (pause: number) => void = () => undefined) {
  let now = 0;
  let pauses = 0;
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
      then(++pauses);
    },
  };
}

const line = (wire: Wire) => `${JSON.stringify(wire)}\n`;

test("the final text is that of the last call of the last turn, without thinking and tools", async () => {
  const p = prompt(null, "go");
  const a = answer(p, [
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ]);
  write(file, [p, a]);
  write(join(folder, "s1/subagents/agent-x.jsonl"), [sidechain("x", answer(null, "not me"))]);
  expect(finalText(await (await openSession(file)).load())).toBe("one\ntwo");
  const q = prompt(a, "more");
  write(file, [p, a, q]);
  expect(finalText(await (await openSession(file)).load())).toBe("");
  const plain = join(recorded, "a-plain/11111111-1111-4111-8111-111111111111.jsonl");
  expect(finalText(await (await openSession(plain)).load())).toBe("Plain done.");
});

test("a last line that comes late is waited for, and the previous turn's text is never given", async () => {
  const p = prompt(null, "one");
  const old = answer(p, "old words");
  const q = prompt(old, "two");
  const use = answer(q, [toolUse("t1")], { stop: "tool_use" });
  const done = result(use, "t1");
  const late = answer(done, "new words");
  write(file, [p, old, q, use, done]);
  const text = line(late);
  const half = clock((pause) => {
    if (pause === 2) appendFileSync(file, text.slice(0, 50));
    if (pause === 3) appendFileSync(file, text.slice(50));
  });
  expect(await finalTextAtStop({ transcript_path: file }, { clock: half })).toEqual({
    text: "new words",
    from: "transcript",
    attempts: 4,
    waitedMs: 150,
  });
});

test("text after stop-hook feedback counts, text before it does not", async () => {
  const p = prompt(null, "one");
  const a = answer(p, "too early");
  const feedback = prompt(a, "Stop hook feedback:\nmore", { isMeta: true });
  const hook = attachment(feedback, { type: "hook_blocking_error", hookEvent: "Stop" });
  write(file, [p, a, feedback, hook]);
  const late = clock((pause) => {
    if (pause === 1) appendFileSync(file, line(answer(hook, "at last")));
  });
  expect(await finalTextAtStop({ transcript_path: file }, { clock: late })).toMatchObject({
    text: "at last",
    attempts: 2,
  });
});

test("a text that differs from the payload's is not used; after the last attempt the payload's is given", async () => {
  const p = prompt(null, "one");
  write(file, [p, answer(p, "something else")]);
  expect(
    await finalTextAtStop({ transcript_path: file, last_assistant_message: "the words" }, { clock: clock() }),
  ).toEqual({
    text: "the words",
    from: "payload",
    attempts: 40,
    waitedMs: 39 * 50,
  });
  expect(
    await finalTextAtStop({ transcript_path: file, last_assistant_message: "something else\n" }, { clock: clock() }),
  ).toMatchObject({
    from: "transcript",
    attempts: 1,
  });
});

test("without transcript and without message there is no final text", async () => {
  expect(await finalTextAtStop({}, { clock: clock() })).toEqual({ text: "", from: "none", attempts: 0, waitedMs: 0 });
  expect(await finalTextAtStop({ transcript_path: join(folder, "none.jsonl") }, { clock: clock() })).toMatchObject({
    from: "none",
    attempts: 40,
  });
});

test("a call written in several lines counts when its last one is there", async () => {
  const p = prompt(null, "one");
  const first = answer(p, "part one", { id: "m1", stop: null });
  const second = answer(first, "part two", { id: "m1", stop: "end_turn" });
  write(file, [p, first]);
  const late = clock((pause) => {
    if (pause === 1) appendFileSync(file, line(second));
  });
  expect(await finalTextAtStop({ transcript_path: file }, { clock: late })).toMatchObject({
    text: "part one\npart two",
    attempts: 2,
  });
});

test("an agent's own transcript is read when the payload names it", async () => {
  const agent = join(folder, "agent.jsonl");
  const p = sidechain("x", prompt(null, "in"));
  write(agent, [p, sidechain("x", answer(p, "agent's word"))]);
  write(file, [prompt(null, "main")]);
  expect(
    await finalTextAtStop({ transcript_path: file, agent_transcript_path: agent }, { clock: clock() }),
  ).toMatchObject({ text: "agent's word" });
});

test("a last line that is whole but for its newline is waited for, then read once", async () => {
  const p = prompt(null, "one");
  const a = answer(p, "words");
  writeFileSync(file, `${line(p)}${line(a).slice(0, -1)}`);
  const late = clock((pause) => {
    if (pause === 1) appendFileSync(file, "\n");
  });
  expect(await finalTextAtStop({ transcript_path: file }, { clock: late })).toMatchObject({
    text: "words",
    attempts: 2,
  });
});

test.each([
  ["the last block alone", "Three."],
  ["all blocks without a break", "One.Two.Three."],
  ["all blocks with line breaks", "One.\nTwo.\nThree."],
])("a payload with %s is the transcript's answer, found at once with every text block", async (_, said) => {
  const p = prompt(null, "go");
  const blocks = ["One.", "Two.", "Three."].map((text) => ({ type: "text", text }));
  write(file, [p, answer(p, blocks)]);
  expect(await finalTextAtStop({ transcript_path: file, last_assistant_message: said }, { clock: clock() })).toEqual({
    text: "One.\nTwo.\nThree.",
    from: "transcript",
    attempts: 1,
    waitedMs: 0,
  });
});
