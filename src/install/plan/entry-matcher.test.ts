import { expect, test } from "vitest";
import { matcherOf } from "./plan-entries.ts";

const tool = { field: "tool_name" };

test.each([
  [["PreToolUse:Write", "PreToolUse:Bash", "PreToolUse:Write"], "Bash|Write"],
  [["PreToolUse:Bash", "PreToolUse:mcp__github__*"], "^(?:Bash|mcp__github__.*)$"],
  [["PreToolUse:mcp__a.b__c+d"], "^(?:mcp__a\\.b__c\\+d)$"],
  [["PreToolUse:a*b*"], "^(?:a.*b.*)$"],
  [["PreToolUse:Bash", "PreToolUse"], undefined],
  [["PreToolUse:Bash", "PreToolUse:*"], undefined],
])("%j is matched by %j", (ids, matcher) => {
  expect(matcherOf("PreToolUse", ids, tool)).toBe(matcher);
});

test("files are watched by their names; an event that matches on nothing has no matcher; one too long is left out", () => {
  const files = ["FileChanged:.env", "FileChanged:a.json"];
  expect(matcherOf("FileChanged", files, { field: "file_path", part: "basename", narrow: true })).toBe(".env|a.json");
  expect(matcherOf("Stop", ["Stop"], null)).toBeUndefined();
  const many = Array.from({ length: 100 }, (_, n) => `PreToolUse:mcp__server__tool_${n}`);
  expect(matcherOf("PreToolUse", many, tool)).toBeUndefined();
});
