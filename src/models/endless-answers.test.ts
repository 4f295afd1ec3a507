import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { afterEach, expect, test } from "vitest";
import { answerTooLarge, LineTooLong, limitAnswer, limitBody, limitLine } from "./answer-limits.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { failureOf, shouldRetry } from "./failure.ts";
import type { Model, ModelEvent } from "./model.ts";
import { openaiReader } from "./openai/openai-stream.ts";

let close: () => void = () => undefined;
afterEach(() => close());

const much = "x".repeat(2 ** 14);
const sse = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** A server that says the beginning once and then the same thing until it is left. */
async function endless(begin: string, again: string): Promise<{ url: string; left: Promise<void> }> {
  let leave: () => void = () => undefined;
  const left = new Promise<void>((done) => {
    leave = done;
  });
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(begin);
    response.on("close", leave);
    pour(response, again);
  });
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, left };
}

function pour(response: ServerResponse, text: string): void {
  while (!response.destroyed && response.write(text));
  if (!response.destroyed) response.once("drain", () => pour(response, text));
}

async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function lastOf(model: Model): Promise<{ last: ModelEvent | undefined; chars: number }> {
  const request = { purpose: "main", model: "m", system: [], tools: [], maxTokens: 100 } as const;
  let last: ModelEvent | undefined;
  let chars = 0;
  const messages = [{ role: "user" as const, content: "hi" }];
  for await (const event of model.stream({ ...request, messages }, new AbortController().signal)) {
    last = event;
    if (event.type === "text") chars += event.text.length;
  }
  return { last, chars };
}

test("endless text from the Messages API is aborted at its limit, and the request is ended", async () => {
  const begin = sse({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: much } };
  const named = (text: string) => text.replace(/data: \{"type":"(\w+)"/g, 'event: $1\ndata: {"type":"$1"');
  const { url, left } = await endless(named(begin), named(sse(delta)));
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k" };
  const { last, chars } = await lastOf(await anthropic({ env, maxAnswerChars: 2 ** 18 }));
  expect(last).toEqual(answerTooLarge);
  expect(chars).toBeGreaterThan(2 ** 17);
  expect(chars).toBeLessThanOrEqual(2 ** 18);
  await left;
});

test("endless tool input from a chat server is aborted too, and the stream is closed", async () => {
  let left = false;
  async function* pieces() {
    try {
      const call = { index: 0, id: "c", function: { name: "Read", arguments: "x".repeat(1_000) } };
      for (;;) yield { choices: [{ index: 0, delta: { tool_calls: [call] } }] } as unknown as ChatCompletionChunk;
    } finally {
      left = true;
    }
  }
  const events = await eventsOf(limitAnswer(pieces(), openaiReader(), 10_000));
  expect(events.at(-1)).toEqual(answerTooLarge);
  expect([events.length, left]).toEqual([1 + 9 + 1, true]);
  expect([failureOf(answerTooLarge), shouldRetry(answerTooLarge)]).toEqual(["max_output_tokens", false]);
});

test("empty blocks, calls and pieces count as well", async () => {
  async function* many<Value>(count: number, value: Value) {
    for (let at = 0; at < count; at++) yield value;
  }
  const call: ModelEvent = { type: "tool-call", index: 0, id: "a", name: "b" };
  const none = { read: () => [] };
  expect(await eventsOf(limitAnswer(many(2, [call]), { read: (events) => events }, 1_000))).toEqual([
    call,
    answerTooLarge,
  ]);
  expect(await eventsOf(limitAnswer(many(15, []), none, 1_000))).toEqual([]);
  expect(await eventsOf(limitAnswer(many(16, []), none, 1_000))).toEqual([answerTooLarge]);
  expect(await eventsOf(limitAnswer(many(1, []), { ...none, startSize: () => 1_000 }, 1_000))).toEqual([
    answerTooLarge,
  ]);
});

test("a line that does not end is an error; of a page only the beginning is read", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const through = async (parts: readonly string[], stream: TransformStream<Uint8Array, Uint8Array>) => {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(bytes(part));
        controller.close();
      },
    });
    return new Response(source.pipeThrough(stream)).text();
  };
  expect(await through(["aaaa\n", "bbbb", "b\ncc"], limitLine(5))).toBe("aaaa\nbbbbb\ncc");
  await expect(through(["aaaa\nbb", "bbbb"], limitLine(5))).rejects.toThrow(LineTooLong);
  expect(await through(["abc", "def", "ghi"], limitBody(5))).toBe("abcde");
});
