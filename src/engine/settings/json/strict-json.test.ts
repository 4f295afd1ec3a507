import fc from "fast-check";
import { expect, test } from "vitest";
import { settingsTexts } from "../../../install/fixtures/settings-texts.ts";
import { withoutComments } from "./edit-items.ts";
import { parseJsonc, plainValue } from "./jsonc.ts";

test("comments and trailing commas are removed, and nothing else changes", () => {
  const before = `{
  // about the model
  "model": "x", // the "good" one
  /* a
     block */
  "url": "http://x/*y*/", /* here */ "deny": [
    "a", // first
    "b",
  ],
}
`;
  expect(withoutComments(before)).toBe(`{
  "model": "x",
  "url": "http://x/*y*/", "deny": [
    "a",
    "b"
  ]
}
`);
});

test("a generated text without its comments is plain JSON with the same value", () => {
  fc.assert(
    fc.property(settingsTexts(), (text) => {
      const parsed = parseJsonc(text);
      if ("fault" in parsed) throw new Error(parsed.fault.why);
      const plain = withoutComments(text).replace(/^\ufeff/, "");
      expect(JSON.stringify(JSON.parse(plain))).toBe(JSON.stringify(plainValue(parsed.tree)));
    }),
  );
});

test("two hundred thousand comments on one line are removed at once", { timeout: 20_000 }, () => {
  expect(withoutComments(`{${"/**/".repeat(200_000)}}`)).toBe("{}");
});
