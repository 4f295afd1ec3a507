import { expect, test } from "vitest";
import type { HookRef } from "../../protocol/internal.ts";
import type { ModelPort, ModelQuestion } from "../ports.ts";
import { agentReplySchema, promptReplySchema, promptText, runModel } from "./model-hook.ts";

const ref: HookRef = { id: "user:Stop:0:0:abc", event: "Stop", type: "prompt", source: "user", name: "Is it done?" };
const hook = { type: "prompt", prompt: "Is it done?" } as const;
const replying =
  (reply: unknown): ModelPort =>
  async () =>
    reply;
const call = (port: ModelPort, timeoutMs = 60_000) => ({
  ref,
  payloadJson: "{}",
  port,
  timeoutMs,
  signal: new AbortController().signal,
});
const quiet = { stderr: "", warnings: [] };

test("the model is asked with prompt, schema and, where available, the conversation", async () => {
  const asked: ModelQuestion[] = [];
  const port: ModelPort = async (ask) => {
    asked.push(ask);
    return { ok: true };
  };
  await runModel(hook, call(port));
  await runModel({ ...hook, model: "small" }, { ...call(port), conversation: [1] });
  const prompt = promptText("Is it done?", "{}");
  expect(asked).toEqual([
    { prompt, schema: promptReplySchema, hook: ref },
    { prompt, schema: promptReplySchema, hook: ref, model: "small", conversation: [1] },
  ]);
});

test("an exact reply is a judgment, as an object or as one JSON object in text", async () => {
  const output = { kind: "judged", ok: false, reason: "no tests", impossible: true, continueOnBlock: false };
  const reply = { ok: false, reason: "no tests", impossible: true };
  const expected = { ...quiet, ended: { by: "answered" }, output, stdout: JSON.stringify(reply) };
  expect(await runModel(hook, call(replying(reply)))).toEqual(expected);
  expect(await runModel(hook, call(replying(JSON.stringify(reply))))).toEqual(expected);
  const patient = await runModel({ ...hook, continueOnBlock: true }, call(replying('\n{"ok": true}\n')));
  expect(patient.output).toEqual({ kind: "judged", ok: true, continueOnBlock: true });
});

test.each([
  "Sure, that is fine.",
  'Here you are: {"ok": true}',
  '```json\n{"ok": true}\n```',
  '{"ok": true} {"ok": true}',
  '{"ok": true, "decision": "allow"}',
  '"{\\"ok\\":true}"',
  '{"ok": "true"}',
  '{"reason": "fine"}',
  "true",
  "",
  { ok: 1 },
  { ok: true, reason: 5 },
  { ok: true, reason: null },
  { ok: true, impossible: "no" },
  { decision: "ALLOW" },
  [{ ok: true }],
  null,
  undefined,
  true,
])("%j is not a valid reply and never counts as ok", async (reply) => {
  const ran = await runModel(hook, call(replying(reply)));
  expect(ran).toMatchObject({ ended: { by: "answered" }, output: { kind: "nothing" } });
  expect(ran.failure).toMatch(/^the model /);
});

test("what an object inherits is not a reply", async () => {
  expect((await runModel(hook, call(replying(JSON.parse('{"__proto__": {"ok": true}}'))))).failure).toBe(
    'the model replied with "__proto__", which was not asked for',
  );
});

test("an API error and silence are failures", async () => {
  const refused: ModelPort = () => Promise.reject(new Error("529 overloaded"));
  expect(await runModel(hook, call(refused))).toEqual({
    ...quiet,
    ended: { by: "threw", message: "529 overloaded" },
    output: { kind: "nothing" },
    stdout: "",
    failure: "529 overloaded",
  });
  let aborted = false;
  const silent: ModelPort = (_, signal) => {
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    return new Promise(() => undefined);
  };
  expect([(await runModel(hook, call(silent, 10))).ended, aborted]).toEqual([{ by: "timeout", afterMs: 10 }, true]);
});

test("a reply without end is cut and does not count", async () => {
  const long = JSON.stringify({ ok: true, reason: "x".repeat(1024 * 1024) });
  const ran = await runModel(hook, call(replying(long)));
  expect([ran.output, ran.stdout.length, ran.droppedBytes, ran.failure]).toEqual([
    { kind: "nothing" },
    1024 * 1024,
    { stdout: long.length - 1024 * 1024, stderr: 0 },
    "the model replied with more than 1 MiB",
  ]);
});

test("an agent hook asks for the same shape without impossible and continues when blocked", async () => {
  const asked: ModelQuestion[] = [];
  const port: ModelPort = async (ask) => {
    asked.push(ask);
    return { ok: false, reason: "tests fail" };
  };
  const ran = await runModel({ type: "agent", prompt: "async () => true" }, call(port));
  expect(asked[0]?.prompt.startsWith("async () => true")).toBe(true);
  expect(asked[0]?.schema).toEqual(agentReplySchema);
  expect(ran.output).toEqual({ kind: "judged", ok: false, reason: "tests fail", continueOnBlock: true });
  const wrong = await runModel({ type: "agent", prompt: "p" }, call(replying({ ok: true, impossible: true })));
  expect(wrong.failure).toBe('the model replied with "impossible", which was not asked for');
});
