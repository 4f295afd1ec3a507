import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../../protocol/internal.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import type { ModelScript } from "./script.ts";
import { scripted } from "./scripted.ts";

test("an answer is streamed in pieces and ends with the whole of it", async () => {
  const model = await scripted({
    ids: "counted",
    answers: [
      {
        thinking: "hm",
        text: "Hello!",
        calls: [{ tool: "Bash", input: { command: "ls" } }],
        chunk: { size: 4 },
        usage: { input: 7, cacheRead: 3 },
      },
    ],
  });
  expect(await eventsOf(model, asking("hi"))).toEqual([
    { type: "thinking", index: 0, text: "hm" },
    { type: "block", index: 0, block: { type: "thinking", thinking: "hm", signature: "c2NyaXB0ZWQ=" } },
    { type: "text", index: 1, text: "Hell" },
    { type: "text", index: 1, text: "o!" },
    { type: "block", index: 1, block: { type: "text", text: "Hello!" } },
    { type: "tool-call", index: 2, id: "toolu_scripted_0001", name: "Bash" },
    { type: "tool-input", index: 2, json: '{"co' },
    { type: "tool-input", index: 2, json: "mman" },
    { type: "tool-input", index: 2, json: 'd":"' },
    { type: "tool-input", index: 2, json: 'ls"}' },
    { type: "block", index: 2, block: call("toolu_scripted_0001", "Bash", { command: "ls" }) },
    {
      type: "end",
      id: "msg_scripted_0001",
      model: "scripted",
      content: [
        { type: "thinking", thinking: "hm", signature: "c2NyaXB0ZWQ=" },
        { type: "text", text: "Hello!" },
        call("toolu_scripted_0001", "Bash", { command: "ls" }),
      ],
      usage: { input: 7, output: 6, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 3 },
      stopReason: "tool_use",
    },
  ]);
  expect(model.complaints()).toEqual([]);
});

test("an answer is chosen by purpose, agent and text in the last message; without a purpose it is for the main thread", async () => {
  const model = await scripted({
    answers: [
      { when: { purpose: "title" }, text: "a title" },
      { when: { purpose: "subagent", agent: "Explore" }, text: "explored" },
      { when: { purpose: "any", lastMessage: "weather" }, text: "sunny" },
      { text: "main" },
    ],
  });
  const texts = [
    await textOf(model, { ...asking("x"), purpose: "subagent", subagent: "Explore" }),
    await textOf(model, asking("what of the weather?")),
    await textOf(model, { ...asking("x"), purpose: "title" }),
    await textOf(model, asking("anything")),
  ];
  expect(texts).toEqual(["explored", "sunny", "a title", "main"]);
  expect(model.complaints()).toEqual([]);
});

test("an unmet expectation is an error that names it, and the run has failed", async () => {
  const model = await scripted({
    answers: [{ text: "ok", expect: [{ contains: ["blue", "green"] }, { in: "system", lacks: ["secret"] }] }],
  });
  const [event, ...more] = await eventsOf(model, { ...asking("blue"), system: ["a secret word"] });
  const message =
    'answer 1 ("ok") expects another request: request should contain "green"; system should lack "secret"';
  expect([event, more]).toEqual([{ type: "error", status: 400, errorType: "expectation", message }, []]);
  expect(model.complaints()).toEqual([message]);
});

test("a request without an answer and an answer without a request are both complaints", async () => {
  const model = await scripted({
    answers: [
      { when: { purpose: "compaction" }, text: "summary", times: 3 },
      { when: { purpose: "title" }, text: "t", times: "any" },
    ],
  });
  await eventsOf(model, { ...asking("x"), purpose: "compaction" });
  const events = await eventsOf(model, asking("hello"));
  expect(events.map(({ type }) => type)).toEqual(["error"]);
  expect(model.complaints()).toEqual([
    'The script has no answer left for this request: main, last message "hello"',
    'answer 1 ("summary") was not asked for 2 of 3 times',
  ]);
});

test("an error may follow half an answer, as when a stream drops", async () => {
  const model = await scripted({
    answers: [{ text: "half", error: {} }, { error: { status: 529, retryAfterMs: 20 } }],
  });
  expect(await eventsOf(model, asking("x"))).toEqual([
    { type: "text", index: 0, text: "half" },
    { type: "error", errorType: "stream", message: "The stream broke off." },
  ]);
  expect(await eventsOf(model, asking("x"))).toEqual([
    {
      type: "error",
      status: 529,
      errorType: "overloaded_error",
      message: "scripted overloaded_error",
      retryAfterMs: 20,
    },
  ]);
});

test("tool input that is not a JSON object is kept with the answer", async () => {
  const model = await scripted({ answers: [{ calls: [{ tool: "Read", id: "t1", rawInput: '{"file_path": ' }] }] });
  expect((await eventsOf(model, asking("x"))).at(-1)).toMatchObject({
    content: [call("t1", "Read", {})],
    broken: { t1: '{"file_path": ' },
  });
});

test("an abort ends the answer within its delays", async () => {
  const model = await scripted({ answers: [{ text: "slow", chunk: { size: 1, delayMs: 60_000 } }] });
  const stop = new AbortController();
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asking("x"), stop.signal)) {
    events.push(event);
    setImmediate(() => stop.abort());
  }
  expect(events.map((event) => (event.type === "error" ? event.errorType : event.type))).toEqual(["text", "aborted"]);
});

test("a script comes from a file, and what is wrong in it is named with its place", async () => {
  const folder = await mkdtemp(join(tmpdir(), "script-"));
  const good = join(folder, "good.json");
  await writeFile(good, JSON.stringify({ model: "m", contextWindow: 10, answers: [{ text: "from a file" }] }));
  const model = await scripted(good);
  expect([model.name, model.contextWindow, await textOf(model, asking("x"))]).toEqual(["m", 10, "from a file"]);

  const bad = join(folder, "bad.json");
  await writeFile(bad, JSON.stringify({ answers: [{ expect: [{ contians: ["x"] }] }] }));
  await expect(scripted(bad)).rejects.toEqual(
    new Problem(
      "models/bad-script",
      `${bad} is not a valid script: answers[0].expect[0] has "contians", which no script has. Did you mean "contains"?`,
      { about: { where: bad } },
    ),
  );
  await expect(scripted(join(folder, "none.json"))).rejects.toThrow(
    "none.json cannot be read as a script: it does not exist",
  );
  await expect(scripted({} as ModelScript)).rejects.toThrow(
    'the given object is not a valid script: it lacks "answers"',
  );
});

function asking(content: string): ModelRequest {
  return {
    purpose: "main",
    model: "scripted",
    system: [],
    messages: [{ role: "user", content }],
    tools: [],
    maxTokens: 99,
  };
}

function call(id: string, name: string, input: Record<string, unknown>): object {
  return { type: "tool_use", id, name, input };
}

async function eventsOf(model: Model, request: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

async function textOf(model: Model, request: ModelRequest): Promise<string> {
  const end = (await eventsOf(model, request)).at(-1);
  return end?.type === "end" && end.content[0]?.type === "text" ? end.content[0].text : JSON.stringify(end);
}
