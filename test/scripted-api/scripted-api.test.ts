import { afterEach, expect, test } from "vitest";
import { type Script, type ScriptedApi, startScriptedApi } from "./index.ts";

let api: ScriptedApi | undefined;

afterEach(async () => {
  await api?.close();
  api = undefined;
});

test("turns are used one after another, and a script that has run out answers Done.", async () => {
  await start({ main: ["one", { tool: "Bash", input: { command: "ls" } }] });
  const answers = [await ask(conversation), await ask(conversation), await ask(conversation)];
  expect(answers.map(({ content, stop_reason }) => ({ content, stop_reason }))).toEqual([
    { content: [{ type: "text", text: "one" }], stop_reason: "end_turn" },
    {
      content: [{ type: "tool_use", id: "toolu_scripted_2_0", name: "Bash", input: { command: "ls" } }],
      stop_reason: "tool_use",
    },
    { content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" },
  ]);
});

test("side requests have conversations of their own and use no turn of the main one", async () => {
  await start({ main: ["one"], "prompt-hook": ['{"ok":false}'] });
  const format = { type: "json_schema", schema: { properties: { ok: { type: "boolean" } } } };
  await ask({ ...conversation, tools: [] });
  await ask({ ...conversation, tools: [], output_config: { format } });
  await ask({ ...conversation, tools: [{ name: "StructuredOutput" }] });
  await ask({ ...conversation, system: [{ text: "x; cc_is_subagent=true;" }] });
  const answer = await ask(conversation);
  expect(answer.content).toEqual([{ type: "text", text: "one" }]);
  expect(api?.requests.map(({ purpose, index }) => [purpose, index])).toEqual([
    ["side", 0],
    ["prompt-hook", 0],
    ["agent-hook", 0],
    ["subagent", 0],
    ["main", 0],
  ]);
});

test("a stream has the API's events in the API's order", async () => {
  await start({ main: [[{ thinking: "hm" }, "text", { tool: "Read", input: { file_path: "a" } }]] });
  const text = await (await post("/v1/messages", { ...conversation, stream: true })).text();
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as { type: string; index?: number; delta?: object });
  expect(events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`))).toEqual([
    "message_start",
    "content_block_start 0",
    "content_block_delta 0",
    "content_block_delta 0",
    "content_block_stop 0",
    "content_block_start 1",
    "content_block_delta 1",
    "content_block_stop 1",
    "content_block_start 2",
    "content_block_delta 2",
    "content_block_stop 2",
    "message_delta",
    "message_stop",
  ]);
  expect(events.at(-2)?.delta).toEqual({ stop_reason: "tool_use", stop_sequence: null });
});

test("an error has the API's shape and its status", async () => {
  await start({ main: [{ status: 529 }, { status: 400, message: "prompt is too long" }] });
  const overloaded = await post("/v1/messages", conversation);
  const refused = await post("/v1/messages", { ...conversation, stream: true });
  expect([overloaded.status, await overloaded.json()]).toEqual([
    529,
    { type: "error", error: { type: "overloaded_error", message: "scripted overloaded_error" } },
  ]);
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } },
  ]);
});

test("the server answers the probe, counts tokens, and refuses everything else", async () => {
  const { url } = await start({});
  const probe = await fetch(url, { method: "HEAD" });
  const count = await post("/v1/messages/count_tokens", conversation);
  const other = await fetch(`${url}/v1/models`);
  expect([probe.status, count.status, other.status]).toEqual([200, 200, 404]);
  expect(await count.json()).toEqual({ input_tokens: Math.ceil(JSON.stringify(conversation).length / 4) });
});

test("a function may read the request", async () => {
  const longer = [...conversation.messages, { role: "assistant", content: "hi" }, { role: "user", content: "and?" }];
  await start({ main: ({ messages }, index) => `${index}: ${messages.length}` });
  const answers = [await ask(conversation), await ask({ ...conversation, messages: longer })];
  expect(answers.map(({ content }) => content)).toEqual([
    [{ type: "text", text: "0: 1" }],
    [{ type: "text", text: "1: 3" }],
  ]);
});

test("a request that the real API would refuse is answered with 400 and uses no turn", async () => {
  await start({ main: ["one"] });
  const call = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] };
  const messages = [...conversation.messages, call, result];
  const refused = await post("/v1/messages", { ...conversation, messages, tools: [] });
  const message = "Requests which include `tool_use` or `tool_result` blocks must define tools";
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { type: "error", error: { type: "invalid_request_error", message } },
  ]);
  expect((await ask({ ...conversation, messages })).content).toEqual([{ type: "text", text: "one" }]);
  expect([api?.rejected.map((one) => one.message), api?.requests.length]).toEqual([[message], 1]);
});

const conversation = {
  model: "some-model",
  max_tokens: 100,
  messages: [{ role: "user", content: "hello" }],
  tools: [{ name: "Bash" }],
};

async function start(script: Script): Promise<ScriptedApi> {
  api = await startScriptedApi(script);
  return api;
}

async function ask(body: object): Promise<{ content: object[]; stop_reason: string }> {
  return (await post("/v1/messages", body)).json() as Promise<{ content: object[]; stop_reason: string }>;
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`${api?.url}${path}`, { method: "POST", body: JSON.stringify(body) });
}
