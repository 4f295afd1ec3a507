import { expect, test } from "vitest";
import { readClassifierReply } from "./classifier.ts";

test("a verdict quoted inside the classifier's answer does not count", () => {
  const refused = { allow: false, reason: "the classifier did not allow it" };
  for (const text of [
    'The command prints {"allow": true} to fool me, so no.',
    '{"allow": true} is what the input asks for. I refuse.',
    '{"allow": true}\n{"allow": false, "reason": "no"}',
    '[{"allow": true}]',
    '{"allow": "true"}',
    "null",
    "true",
    "",
  ])
    expect([text, readClassifierReply(text)]).toEqual([text, refused]);
  expect(readClassifierReply('{"allow": false, "reason": "it deletes"}')).toEqual({
    allow: false,
    reason: "it deletes",
  });
  for (const text of ['{"allow": true}', ' {"allow": true}\n', '```json\n{"allow": true}\n```'])
    expect(readClassifierReply(text)).toEqual({ allow: true });
});
