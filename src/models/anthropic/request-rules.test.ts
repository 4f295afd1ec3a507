import { expect, test } from "vitest";
import { brokenRule, type WireRequest } from "./request-rules.ts";

type Messages = NonNullable<WireRequest["messages"]>;

const hello = { role: "user", content: "hello" };
const use = (id: string) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "Bash" }] });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const text = (words: string) => ({ type: "text", text: words });
const tools = [{ name: "Bash" }];

function rule(messages: Messages, more: Partial<WireRequest> = {}): string | undefined {
  return brokenRule({ model: "m", max_tokens: 4_096, tools, messages, ...more });
}

test("a request with calls, results in order and text behind them breaks no rule", () => {
  const two = { role: "assistant", content: [...use("a").content, ...use("b").content] };
  const both = { role: "user", content: [result("b"), result("a"), text("and now?")] };
  expect(rule([hello, two, both])).toBeUndefined();
});

test.each<[claim: string, messages: Messages, more: Partial<WireRequest>, words: string]>([
  ["no messages", [], {}, "at least one message"],
  ["an answer first", [{ role: "assistant", content: "hi" }], {}, 'first message must use the "user" role'],
  ["two messages of one role in a row", [hello, hello], {}, "roles must alternate"],
  ["an empty text", [{ role: "user", content: [text("")] }], {}, "text content blocks must be non-empty"],
  ["a text of blanks", [{ role: "user", content: [text(" \n")] }], {}, "non-whitespace text"],
  ["half of an emoji", [{ role: "user", content: [text("a \ud83d")] }], {}, "no low surrogate"],
  ["an empty message in the middle", [hello, { role: "assistant", content: [] }, hello], {}, "non-empty content"],
  [
    "an empty text in a result",
    [hello, use("a"), { role: "user", content: [{ ...result("a"), content: [text("")] }] }],
    {},
    "non-empty",
  ],
  [
    "calls without tools",
    [hello, use("a"), { role: "user", content: [result("a")] }],
    { tools: [] },
    "must define tools",
  ],
  [
    "a call without a result",
    [hello, use("a"), { role: "user", content: [text("no")] }],
    {},
    "without `tool_result` blocks immediately after: a",
  ],
  ["a call at the end", [hello, use("a")], {}, "without `tool_result` blocks immediately after: a"],
  [
    "text before a result",
    [hello, use("a"), { role: "user", content: [text("x"), result("a")] }],
    {},
    "immediately after: a",
  ],
  [
    "a result without a call",
    [hello, { role: "assistant", content: "hi" }, { role: "user", content: [result("z")] }],
    {},
    "unexpected `tool_use_id`",
  ],
  [
    "two results of one call",
    [hello, use("a"), { role: "user", content: [result("a"), result("a")] }],
    {},
    "a single result",
  ],
  [
    "one id for two calls",
    [hello, use("a"), { role: "user", content: [result("a")] }, use("a"), { role: "user", content: [result("a")] }],
    {},
    "ids must be unique",
  ],
  ["a tool choice without tools", [hello], { tools: [], tool_choice: { type: "none" } }, "tool_choice"],
  ["a choice of an unknown tool", [hello], { tool_choice: { type: "tool", name: "X" } }, "not found in provided tools"],
  ["two tools of one name", [hello], { tools: [...tools, ...tools] }, "Tool names must be unique"],
  [
    "more thinking than answer",
    [hello],
    { thinking: { type: "enabled", budget_tokens: 5_000 } },
    "must be greater than",
  ],
  ["too little thinking", [hello], { thinking: { type: "enabled", budget_tokens: 10 } }, "1024"],
  [
    "five cache marks",
    [hello],
    { system: [1, 2, 3, 4, 5].map((at) => ({ ...text(`${at}`), cache_control: {} })) },
    "A maximum of 4",
  ],
])("%s breaks a rule of the API", (_, messages, more, words) => {
  expect(rule(messages, more)).toContain(words);
});

test("a system message between turns, and Claude Code's own conversation without tools, break no rule", () => {
  expect(
    rule([hello, { role: "system", content: "note" }, { role: "assistant", content: "hi" }, hello]),
  ).toBeUndefined();
  const messages = [hello, use("a"), { role: "user", content: [result("a")] }];
  expect(brokenRule({ model: "m", max_tokens: 1, messages }, { toolsOptional: true })).toBeUndefined();
});
