import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { type Script, type ScriptedApi, startScriptedApi } from "../../../test/scripted-api/index.ts";
import { until } from "../../../test/until.ts";
import type { Message } from "../message.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { withRetry } from "../retry.ts";
import { anthropic } from "./anthropic.ts";
import { anthropicReader } from "./anthropic-stream.ts";

let api: ScriptedApi | undefined;

afterEach(async () => {
  await api?.close();
  api = undefined;
});

test("the official client's stream becomes deltas and then the answer, thinking with its signature", async () => {
  const usage = {
    input_tokens: 11,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    cache_read_input_tokens: 5,
    output_tokens: 42,
  };
  const blocks = [{ thinking: "hm" }, "Hello", { tool: "Read", input: { file_path: "ä" }, id: "toolu_1" }];
  const model = await open({ main: [{ blocks, usage, chunk: 3 }] });
  const events = await eventsOf(model, request);
  const content = [
    { type: "thinking", thinking: "hm", signature: "c2NyaXB0ZWQ=" },
    { type: "text", text: "Hello" },
    { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "ä" } },
  ];
  expect(events.filter(({ type }) => type !== "tool-input")).toEqual([
    { type: "thinking", index: 0, text: "hm" },
    { type: "block", index: 0, block: content[0] },
    { type: "text", index: 1, text: "Hel" },
    { type: "text", index: 1, text: "lo" },
    { type: "block", index: 1, block: content[1] },
    { type: "tool-call", index: 2, id: "toolu_1", name: "Read" },
    { type: "block", index: 2, block: content[2] },
    {
      type: "end",
      id: "msg_scripted_1",
      requestId: "req_msg_scripted_1",
      model: "test-model",
      content,
      usage: { input: 11, output: 42, cacheWrite5m: 10, cacheWrite1h: 20, cacheRead: 5 },
      stopReason: "tool_use",
    },
  ]);
  const json = events.map((event) => (event.type === "tool-input" ? event.json : "")).join("");
  expect(JSON.parse(json)).toEqual({ file_path: "ä" });
});

test("a call whose input a server writes at its beginning keeps it, and counts that are null are left out", () => {
  const { read, end } = anthropicReader();
  const input = { command: "ls" };
  for (const event of [
    { type: "message_start", message: { id: "m", model: "x", usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "Bash", input } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: null },
    { type: "message_stop" },
  ])
    read(event as never);
  expect(end(undefined)[0]).toMatchObject({
    content: [{ type: "tool_use", id: "t", name: "Bash", input }],
    usage: { input: 3, output: 1 },
  });
});

test("a request carries system, tools, thinking and cache marks, and thinking goes back as it came", async () => {
  const messages: readonly Message[] = [
    { role: "user", content: "one" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "signed", signature: "s1" },
        { type: "thinking", thinking: "from elsewhere", signature: "" },
        { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "a\nb", is_error: false }] },
    {
      role: "user",
      content: [
        { type: "text", text: "" },
        { type: "text", text: "and now?" },
      ],
    },
  ];
  const model = await open({ main: ["ok"] });
  await eventsOf(model, { ...request, system: ["first", "", "last"], messages, thinkingTokens: 2000 });
  const mark = { cache_control: { type: "ephemeral" } };
  expect(api?.requests[0]?.body).toEqual({
    model: "test-model",
    max_tokens: 4096,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 2000 },
    system: [
      { type: "text", text: "first" },
      { type: "text", text: "last", ...mark },
    ],
    tools: [{ name: "Bash", description: "runs", input_schema: { type: "object", properties: {} } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "one", ...mark }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "signed", signature: "s1" },
          { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "a\nb", is_error: false },
          { type: "text", text: "and now?", ...mark },
        ],
      },
    ],
  });
});

test("effort is sent as output_config, and a model that decides itself how much to think is asked to", async () => {
  const model = await open({ main: ["ok", "ok"] });
  await eventsOf(model, { ...request, model: "claude-sonnet-5-5", effort: "low", thinkingTokens: 4_000 });
  await eventsOf(model, { ...request, model: "claude-haiku-4-5", thinkingTokens: 2_000 });
  expect(api?.requests.map(({ body }) => body)).toMatchObject([
    { output_config: { effort: "low" }, thinking: { type: "adaptive" } },
    { thinking: { type: "enabled", budget_tokens: 2_000 } },
  ]);
  expect(api?.requests[1]?.body).not.toHaveProperty("output_config");
  expect(
    ["claude-sonnet-5-5", "sonnet", "claude-haiku-4-5", "newer"].map((name) => model.defaultEffort?.(name)),
  ).toEqual(["medium", "medium", undefined, "high"]);
});

test("a model near its end of life prints nothing on the console", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const model = await open({ main: ["ok"] });
  await eventsOf(model, { ...request, model: "claude-sonnet-4-5" });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test("a forced tool goes without thinking, and a single question without cache marks", async () => {
  const model = await open({ main: ["ok"] });
  await eventsOf(model, {
    ...request,
    purpose: "classifier",
    system: ["s"],
    toolChoice: { type: "tool", name: "Bash" },
    thinkingTokens: 2000,
  });
  const { body } = api?.requests[0] ?? {};
  expect(body).toMatchObject({ tool_choice: { type: "tool", name: "Bash" } });
  expect(Object.keys(body ?? {})).not.toContain("thinking");
  expect(JSON.stringify(body)).not.toContain("cache_control");
});

test("an API error is a value with status, type, message and the wait that was asked for", async () => {
  const model = await open({ main: [{ status: 429, retryAfter: 3, message: "slow down" }, { status: 401 }] });
  expect([...(await eventsOf(model, request)), ...(await eventsOf(model, request))]).toEqual([
    {
      type: "error",
      status: 429,
      errorType: "rate_limit_error",
      message: "slow down",
      retryAfterMs: 3000,
      requestId: "req_scripted",
    },
    {
      type: "error",
      status: 401,
      errorType: "authentication_error",
      message: "scripted authentication_error",
      requestId: "req_scripted",
    },
  ]);
});

test("streams that break off or say that they failed are errors in place, and a retry gets the whole answer", async () => {
  const broken = [
    { blocks: ["half"], breaks: "connection" },
    { blocks: ["half"], breaks: "overloaded_error" },
  ] as const;
  const model = await open({ main: [...broken, ...broken, "whole"] });
  const last = async () => (await eventsOf(model, request)).at(-1);
  expect([await last(), await last()]).toEqual([
    { type: "error", errorType: "stream", message: expect.stringContaining("The answer broke off: ") },
    { type: "error", errorType: "overloaded_error", message: "Overloaded", requestId: "req_msg_scripted_2" },
  ]);
  const events = await eventsOf(withRetry(model, { firstWaitMs: 1 }), request);
  expect(events.filter(({ type }) => type === "retry")).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ type: "end", content: [{ type: "text", text: "whole" }] });
  expect(api?.requests).toHaveLength(5);
});

test("a missing server is an error in place too", async () => {
  const model = await open({});
  await api?.close();
  api = undefined;
  expect(await eventsOf(model, request)).toEqual([
    { type: "error", errorType: "connection", message: expect.stringContaining("No connection to the model: ") },
  ]);
});

test("an abort ends the request, and the last event is `aborted`", async () => {
  const model = await open({ main: [{ blocks: ["late"], delayMs: 600_000 }] });
  const stop = new AbortController();
  void until("the request has come", () => api?.requests.length === 1).then(() => stop.abort());
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, stop.signal)) events.push(event);
  expect(events).toEqual([{ type: "error", errorType: "aborted", message: "The request was interrupted." }]);
});

test("key, token and base URL are those of the given environment; without a key nothing is sent", async () => {
  const { url } = await start({});
  const keyed = await anthropic({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "key-1" } });
  const tokened = await anthropic({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: "token-1" } });
  const neither = await anthropic({ env: { ANTHROPIC_BASE_URL: url } });
  await eventsOf(keyed, request);
  await eventsOf(tokened, request);
  const [error] = await eventsOf(neither, request);
  expect(api?.requests.map(({ authorization }) => authorization)).toEqual(["Bearer key-1", "Bearer token-1"]);
  expect(error).toEqual({
    type: "error",
    errorType: "missing-key",
    message: "No key for the Anthropic API: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the environment.",
  });
});

test("short names are the API's names, or what the environment makes of them", async () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_DEFAULT_OPUS_MODEL: "my-opus" };
  const { name, contextWindow, smallModel } = await anthropic({ model: "opus[1m]", env });
  expect({ name, contextWindow, smallModel }).toEqual({
    name: "my-opus",
    contextWindow: 1_000_000,
    smallModel: "claude-haiku-5-5",
  });
  const model = await open({ main: ["ok"] });
  await eventsOf(model, { ...request, model: "haiku" });
  expect(api?.requests[0]?.body.model).toBe("claude-haiku-5-5");
});

test("a model's window is that of the table, a million with [1m], and 200,000 for an unknown name", async () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-4-5[1m]" };
  const windows = ["sonnet", "claude-sonnet-5-5", "claude-haiku-4-5", "claude-haiku-4-5[1m]", "haiku", "nobody-knows"];
  const ports = await Promise.all(windows.map((model) => anthropic({ model, env })));
  const million = 1_000_000;
  expect(ports.map(({ contextWindow }) => contextWindow)).toEqual([
    million,
    million,
    200_000,
    million,
    million,
    200_000,
  ]);
  expect(ports[4]?.name).toBe("claude-haiku-4-5");
});

test("[1m] asks the API for the long window, also under the port's own name", async () => {
  const plain = await open({ main: ["ok", "ok", "ok"] });
  const url = String(api?.url);
  const long = await anthropic({ model: "sonnet[1m]", env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url } });
  await eventsOf(long, { ...request, model: long.name });
  await eventsOf(long, { ...request, model: "haiku" });
  await eventsOf(plain, { ...request, model: "haiku[1m]" });
  expect(api?.requests.map(({ beta }) => beta)).toEqual(["context-1m-2025-08-07", undefined, "context-1m-2025-08-07"]);
});

const garbage: readonly [string, number, string, string][] = [
  ["a page in place of an error", 502, "<html>bad gateway</html>", "502 api_error"],
  ["a page in place of an answer", 200, "<html>log in</html>", "stream"],
  ["nothing at all", 200, "", "stream"],
  ["events that are not JSON", 200, "event: message_start\ndata: {no\n\n", "stream"],
  ["an answer without an end", 200, `event: message_start\ndata: {"type":"message_start"}\n\n`, "stream"],
  ["an error without words", 500, "null", "500 api_error"],
];

test.each(garbage)("a server that sends %s makes an error of it", async (_, status, body, says) => {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "text/html" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "very-secret" };
  const events = await eventsOf(await anthropic({ env }), request);
  server.closeAllConnections();
  server.close();
  expect(
    events.map((event) => (event.type === "error" ? [event.status, event.errorType].filter(Boolean).join(" ") : event)),
  ).toEqual([says]);
  expect(JSON.stringify(events)).not.toContain("very-secret");
});

const request: ModelRequest = {
  purpose: "main",
  model: "test-model",
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "Bash", description: "runs", input_schema: { type: "object", properties: {} } }],
  maxTokens: 4096,
};

async function start(script: Script): Promise<ScriptedApi> {
  api = await startScriptedApi(script);
  return api;
}

test("a redirect to another host gets neither the key nor the conversation, and is not tried again", async () => {
  const { url } = await start({ main: ["ok"] });
  const gateway = createServer((_, response) => response.writeHead(307, { location: `${url}/v1/messages` }).end());
  await new Promise<void>((ready) => gateway.listen(0, "127.0.0.1", ready));
  const base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: "secret" };
  const events = await eventsOf(withRetry(await anthropic({ model: "test-model", env })), request);
  gateway.close();
  expect(api?.requests).toEqual([]);
  const message = expect.stringContaining(`${base} redirects to ${url}. The redirect is not followed`);
  expect(events).toEqual([{ type: "error", status: 307, errorType: "redirect", message }]);
});

test("a redirect within the host is followed", async () => {
  const { url } = await start({ main: ["ok"] });
  const gateway = createServer(async (asked, response) => {
    if (asked.url?.startsWith("/old") === true) {
      response.writeHead(308, { location: asked.url.slice(4) }).end();
      return;
    }
    let body = "";
    for await (const chunk of asked) body += String(chunk);
    const answer = await fetch(`${url}${asked.url}`, { method: "POST", body, headers: { "x-api-key": "k" } });
    response.writeHead(200, { "content-type": "text/event-stream" }).end(await answer.text());
  });
  await new Promise<void>((ready) => gateway.listen(0, "127.0.0.1", ready));
  const base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/old`;
  const env = { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: "secret" };
  const events = await eventsOf(await anthropic({ model: "test-model", env }), request);
  gateway.close();
  expect(events.at(-1)).toMatchObject({ type: "end", content: [{ type: "text", text: "ok" }] });
});

async function open(script: Script): Promise<Model> {
  const { url } = await start(script);
  return anthropic({ model: "test-model", env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test" } });
}

async function eventsOf(model: Model, asked: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}
