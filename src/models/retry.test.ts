import { expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "./model.ts";
import { type RetryOptions, withRetry } from "./retry.ts";
import type { ScriptedAnswer } from "./scripted/script.ts";
import { scripted } from "./scripted/scripted.ts";

test("429, 5xx, 529 and a dropped stream are tried again, each try is shown, and the answer comes in the end", async () => {
  const { events, waits, shown } = await run([
    { error: { status: 429, retryAfterMs: 7000 } },
    { error: { status: 500 } },
    { text: "half", error: {} },
    { error: { status: 529 } },
    { text: "whole" },
  ]);
  expect(brief(events)).toEqual([
    "retry 1/5 rate_limit_error",
    "retry 2/5 api_error",
    "text half",
    "retry 3/5 stream",
    "retry 4/5 overloaded_error",
    "text whole",
    "block",
    "end",
  ]);
  expect(waits).toEqual([7000, 1000, 2000, 4000]);
  expect(shown).toEqual([1, 2, 3, 4]);
});

test("after five tries the error is returned", async () => {
  const { events, waits } = await run([{ error: { status: 529 }, times: 5 }]);
  expect(brief(events).slice(-2)).toEqual(["retry 4/5 overloaded_error", "error overloaded_error"]);
  expect(waits).toEqual([500, 1000, 2000, 4000]);
});

test("what the request did wrong is not tried again, nor what the API wants to wait too long for", async () => {
  expect(brief((await run([{ error: { status: 400 } }])).events)).toEqual(["error invalid_request_error"]);
  expect(brief((await run([{ error: { status: 401 } }])).events)).toEqual(["error authentication_error"]);
  expect(brief((await run([{ error: { status: 429, retryAfterMs: 3_600_000 } }])).events)).toEqual([
    "error rate_limit_error",
  ]);
});

test("an abort while waiting ends the tries", async () => {
  const stop = new AbortController();
  const model = withRetry(await scripted({ answers: [{ error: { status: 529 }, times: "any" }] }), {
    firstWaitMs: 60_000,
    onRetry: () => setImmediate(() => stop.abort()),
  });
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, stop.signal)) events.push(event);
  expect(brief(events)).toEqual(["retry 1/5 overloaded_error", "error aborted"]);
});

const request: ModelRequest = {
  purpose: "main",
  model: "scripted",
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [],
  maxTokens: 99,
};

async function run(answers: readonly ScriptedAnswer[]) {
  const waits: number[] = [];
  const shown: number[] = [];
  const options: RetryOptions = {
    pause: async (ms) => {
      waits.push(ms);
    },
    random: () => 1,
    onRetry: ({ attempt }) => shown.push(attempt),
  };
  const model = withRetry(await scripted({ answers }), options);
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return { events, waits, shown, complaints: model.complaints?.() };
}

function brief(events: readonly ModelEvent[]): string[] {
  return events.map((event) => {
    if (event.type === "retry") return `retry ${event.attempt}/${event.tries} ${event.error.errorType}`;
    if (event.type === "error") return `error ${event.errorType}`;
    return event.type === "text" ? `text ${event.text}` : event.type;
  });
}

test("a misspelled option and a value that is not a model are refused", () => {
  const model = { stream: () => undefined } as never;
  expect(() => withRetry(model, { retries: 3 } as never)).toThrow(/no option "retries"/);
  expect(() => withRetry("x" as never)).toThrow(/takes a model and options, not "x"/);
});
