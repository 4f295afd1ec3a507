import { afterEach, expect, test } from "vitest";
import { type ChatApi, type ChatTurn, startChatApi } from "../../../test/scripted-api/index.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { openaiCompatible } from "./openai-compatible.ts";

let api: ChatApi | undefined;

afterEach(async () => {
  await api?.close();
  api = undefined;
});

test("chunks of text and tool calls become blocks, with usage and stop reason in our terms", async () => {
  const { model } = await open([
    {
      chunks: [
        piece({ role: "assistant", content: "" }),
        piece({ content: "Let me " }),
        piece({ content: "look." }),
        piece({ tool_calls: [call(0, "call_a", "Read", "")] }),
        piece({ tool_calls: [{ index: 0, function: { arguments: '{"file_' } }] }),
        piece({ tool_calls: [{ index: 0, function: { arguments: 'path":"a"}' } }] }),
        piece({ tool_calls: [call(1, "call_b", "Bash", '{"command":')] }),
        piece({}, "tool_calls"),
        {
          ...chunk,
          choices: [],
          usage: { prompt_tokens: 50, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 20 } },
        },
      ],
    },
  ]);
  const content = [
    { type: "text", text: "Let me look." },
    { type: "tool_use", id: "call_a", name: "Read", input: { file_path: "a" } },
    { type: "tool_use", id: "call_b", name: "Bash", input: {} },
  ];
  expect(await eventsOf(model, request)).toEqual([
    { type: "text", index: 0, text: "Let me " },
    { type: "text", index: 0, text: "look." },
    { type: "tool-call", index: 1, id: "call_a", name: "Read" },
    { type: "tool-input", index: 1, json: '{"file_' },
    { type: "tool-input", index: 1, json: 'path":"a"}' },
    { type: "tool-call", index: 2, id: "call_b", name: "Bash" },
    { type: "tool-input", index: 2, json: '{"command":' },
    ...content.map((block, index) => ({ type: "block", index, block })),
    {
      type: "end",
      id: "chat_1",
      requestId: "req_chat",
      model: "served-model",
      content,
      usage: { input: 30, output: 9, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 20 },
      stopReason: "tool_use",
      broken: { call_b: '{"command":' },
    },
  ]);
});

test("null counts as a key that is left out, in texts and in pieces of calls", async () => {
  const { model } = await open([
    {
      chunks: [
        piece({ role: "assistant", content: "", tool_calls: null }),
        piece({ role: null, content: "I look.", refusal: null, tool_calls: null }),
        piece({ content: null, tool_calls: [{ index: 0, id: "call_a", function: { name: "Read", arguments: null } }] }),
        piece({ tool_calls: [{ index: 0, id: null, function: { name: null, arguments: '{"file_path":' } }] }),
        piece({ tool_calls: [{ index: 0, id: null, function: { name: null, arguments: '"a"}' } }] }),
        piece({ tool_calls: [{ index: 0, id: null, function: null }] }),
        piece({ content: null, tool_calls: null }, "tool_calls"),
      ],
    },
  ]);
  expect((await eventsOf(model, request)).at(-1)).toMatchObject({
    type: "end",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_a", name: "Read", input: { file_path: "a" } },
    ],
    stopReason: "tool_use",
  });
});

test("calls of a server that gives no ids have an id each, also over several answers", async () => {
  const unnamed = (index: number) => ({ index, function: { name: "Read", arguments: "{}" } });
  const turn = { chunks: [piece({ tool_calls: [unnamed(0), unnamed(1)] }), piece({}, "tool_calls")] };
  const { model } = await open([turn, turn]);
  const events = [...(await eventsOf(model, request)), ...(await eventsOf(model, request))];
  const ids = events.flatMap((event) => (event.type === "tool-call" ? [event.id] : []));
  expect(new Set(ids).size).toBe(4);
});

test("a conversation with tools is sent as chat completions; what they do not support is left out and reported once", async () => {
  const { model, leftOut } = await open([answer("ok"), answer("ok")]);
  const asked: ModelRequest = {
    ...request,
    system: ["be brief", "be kind"],
    thinkingTokens: 2000,
    toolChoice: { type: "any" },
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "" },
          { type: "text", text: "looking" },
          { type: "tool_use", id: "c1", name: "Read", input: { file_path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "no such file" }], is_error: true },
          { type: "text", text: "and?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
        ],
      },
    ],
  };
  await eventsOf(model, asked);
  await eventsOf(model, asked);
  expect(leftOut).toEqual(["thinking"]);
  expect(api?.requests[0]).toEqual({
    path: "/v1/chat/completions",
    authorization: "Bearer some-key",
    body: {
      model: "served-model",
      max_tokens: 500,
      stream: true,
      stream_options: { include_usage: true },
      tool_choice: "required",
      tools: [
        {
          type: "function",
          function: { name: "Read", description: "reads", parameters: { type: "object", properties: {} } },
        },
      ],
      messages: [
        { role: "system", content: "be brief\n\nbe kind" },
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: "looking",
          tool_calls: [{ id: "c1", type: "function", function: { name: "Read", arguments: '{"file_path":"a"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "Error: no such file" },
        {
          role: "user",
          content: [
            { type: "text", text: "and?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
      ],
    },
  });
});

test("errors and broken streams are values", async () => {
  const { model } = await open([
    { status: 429, error: { message: "slow down", type: "requests" }, retryAfter: "2" },
    { chunks: [piece({ content: "half" })], drop: true },
    { chunks: [piece({ content: "half" })] },
  ]);
  const last = async () => (await eventsOf(model, request)).at(-1);
  expect([await last(), await last(), await last()]).toEqual([
    { type: "error", status: 429, errorType: "requests", message: "slow down", retryAfterMs: 2000 },
    { type: "error", errorType: "stream", message: expect.stringContaining("The answer broke off: ") },
    { type: "error", errorType: "stream", message: "The answer ended before it was complete." },
  ]);
});

test("a server of one's own needs no key; the vendor's does", async () => {
  api = await startChatApi([answer("ok")]);
  const own = await openaiCompatible({ model: "m", env: { OPENAI_BASE_URL: api.url } });
  const vendor = await openaiCompatible({ model: "m", env: {} });
  expect((await eventsOf(own, request)).at(-1)).toMatchObject({ type: "end", stopReason: "end_turn" });
  expect(await eventsOf(vendor, request)).toEqual([
    {
      type: "error",
      errorType: "missing-key",
      message: "No key for the OpenAI API: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.",
    },
  ]);
});

test.each([
  "max_tokens is too large: 500. This model supports at most 100 completion tokens, whereas you provided 500.",
  "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 501 tokens",
  "maximum context length is 500 tokens. However, you requested 564 tokens (64 in the messages, 500 in the completion).",
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
])("a server that refuses the limit of the answer is asked without one, from then on: %s", async (message) => {
  const { model } = await open([{ status: 400, error: { message } }, answer("one"), answer("two")]);
  for (const text of ["one", "two"])
    expect((await eventsOf(model, request)).at(-1)).toMatchObject({ type: "end", content: [{ type: "text", text }] });
  const limits = api?.requests.map(({ body }) => (body as { max_tokens?: number }).max_tokens);
  expect(limits).toEqual([500, undefined, undefined]);
});

const request: ModelRequest = {
  purpose: "main",
  model: "served-model",
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object", properties: {} } }],
  maxTokens: 500,
};

const chunk = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "served-model" };

function piece(delta: object, finish: string | null = null): object {
  return { ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] };
}

function call(index: number, id: string, name: string, json: string): object {
  return { index, id, type: "function", function: { name, arguments: json } };
}

function answer(content: string): ChatTurn {
  return { chunks: [piece({ content }), piece({}, "stop")] };
}

async function open(turns: readonly ChatTurn[]): Promise<{ model: Model; leftOut: string[] }> {
  api = await startChatApi(turns);
  const leftOut: string[] = [];
  const model = await openaiCompatible({
    model: "served-model",
    env: { OPENAI_BASE_URL: api.url, OPENAI_API_KEY: "some-key" },
    onUnsupported: (what) => leftOut.push(what),
  });
  return { model, leftOut };
}

async function eventsOf(model: Model, asked: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}
