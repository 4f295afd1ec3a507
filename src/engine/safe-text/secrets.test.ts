import { expect, test } from "vitest";
import type { HttpHook } from "../../protocol/internal.ts";
import { secretValues } from "./redact-notices.ts";

const hook = (headers: Record<string, string>): HttpHook => ({ type: "http", url: "https://a.example/", headers });

test("secret values are those of secret variables and of headers, without short and harmless ones, longest first", () => {
  const env = { API_KEY: "k-123456", SHORT_TOKEN: "12345", HOME: "/home/dev", MINE: "value-of-mine", NONE: undefined };
  const hooks = [
    hook({ Authorization: "Bearer $MINE", "X-Key": "literal-key", "X-Flag": "yes", Accept: "application/json" }),
    { type: "command", command: "true" } as const,
  ];
  expect(secretValues(env, hooks)).toEqual([
    "Bearer%20value-of-mine",
    "Bearer value-of-mine",
    "Bearer%20%24MINE",
    "value-of-mine",
    "Bearer $MINE",
    "literal-key",
    "k-123456",
  ]);
});

test("a secret is found in the spellings of JSON and URLs too, odd ones included", () => {
  expect(secretValues({ API_KEY: 'a"b/c=d' }, [])).toEqual(["a%22b%2Fc%3Dd", 'a\\"b/c=d', 'a"b/c=d']);
  expect(secretValues({}, [hook({ X: "$toString" })])).toEqual([]);
  expect(secretValues({ API_KEY: "lone\ud800half" }, [])).toContain("lone\ud800half");
});
