import { expect, test } from "vitest";
import { failureOf, shouldRetry, worthFallback } from "./failure.ts";
import type { ModelError } from "./model.ts";

const cases: readonly [string, Partial<ModelError>, string, string][] = [
  ["a bare 400", { status: 400 }, "unknown", ""],
  ["a prompt that is too long", { status: 400, message: "prompt is too long: 3 > 2" }, "invalid_request", ""],
  [
    "a prompt that leaves no room for an answer",
    { status: 400, message: "input length and `max_tokens` exceed context limit: 178959 + 32000 > 200000, decrease" },
    "invalid_request",
    "",
  ],
  ["a request with too many bytes", { status: 413, errorType: "request_too_large" }, "invalid_request", ""],
  [
    "a prompt that is too long for an OpenAI-like server",
    { status: 400, message: "This model's maximum context length is 32768 tokens. However, you requested 40000." },
    "invalid_request",
    "",
  ],
  [
    "a prompt that is too long for a local server",
    { status: 400, message: "the request exceeds the available context size, try increasing it" },
    "invalid_request",
    "",
  ],
  ["no credit", { status: 400, message: "Your credit balance is too low" }, "billing_error", ""],
  ["a wrong key", { status: 401 }, "authentication_failed", ""],
  ["a forbidden key", { status: 403 }, "authentication_failed", ""],
  ["no key", { errorType: "missing-key" }, "authentication_failed", ""],
  ["an unknown model", { status: 404 }, "model_not_found", "fallback"],
  ["a rate limit", { status: 429 }, "rate_limit", "retry fallback"],
  ["a server error", { status: 500 }, "server_error", "retry fallback"],
  ["an overload", { status: 529 }, "server_error", "retry fallback"],
  ["an overload in the stream", { errorType: "overloaded_error" }, "server_error", "retry fallback"],
  ["a rate limit in the stream", { errorType: "rate_limit_error" }, "rate_limit", "retry fallback"],
  ["no connection", { errorType: "connection" }, "server_error", "retry fallback"],
  ["a dropped stream", { errorType: "stream" }, "server_error", "retry fallback"],
  ["an interrupt", { errorType: "aborted" }, "unknown", ""],
  ["an unmet expectation", { status: 400, errorType: "expectation" }, "unknown", ""],
];

test.each(cases)("%s has its class", (_, part, failure, help) => {
  const error: ModelError = { type: "error", errorType: "some_error", message: "words", ...part };
  const helps = [shouldRetry(error) ? "retry" : "", worthFallback(error) ? "fallback" : ""].join(" ").trim();
  expect([failureOf(error), helps]).toEqual([failure, help]);
});
