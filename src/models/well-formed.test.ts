import { expect, test } from "vitest";
import { messagesRequest } from "./anthropic/anthropic-request.ts";
import { brokenRule } from "./anthropic/request-rules.ts";
import { replaceLoneSurrogates } from "./message.ts";

test("halves of surrogate pairs are replaced in texts, keys and lists, and whole characters stay", () => {
  expect(replaceLoneSurrogates({ a: ["😀", "x\ud83d", "\ude00y"], ["\ud83d"]: { b: 1 } })).toEqual({
    a: ["😀", "x\ufffd", "\ufffdy"],
    "\ufffd": { b: 1 },
  });
});

test("a value without halves is given back as it is, not copied", () => {
  const value = { a: ["😀", { b: null, c: 5 }], "\\ud83d": "the text \\ud83d and \\\\ud83d" };
  expect(replaceLoneSurrogates(value)).toBe(value);
});

test("a tool result that was cut in the middle of an emoji does not make the API refuse the conversation", () => {
  const cut = "😀".repeat(20).slice(0, 31);
  const request = messagesRequest({
    purpose: "main",
    model: "claude-sonnet-5-5",
    system: [`of ${cut}`],
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input: { command: cut } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: cut }] },
    ],
    tools: [{ name: "Bash", description: cut, input_schema: { type: "object" } }],
    maxTokens: 100,
  });
  expect(brokenRule(request)).toBeUndefined();
  expect(JSON.stringify(request)).not.toMatch(/\\ud[89a-f]/i);
});
