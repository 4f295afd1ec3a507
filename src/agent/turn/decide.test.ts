import { expect, test } from "vitest";
import { classifierRefusal } from "./decide.ts";

test("a verdict quoted inside the classifier's answer does not count", () => {
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
    expect([text, classifierRefusal(text)]).toEqual([text, "the classifier did not allow it"]);
  expect(classifierRefusal('{"allow": false, "reason": "it deletes"}')).toBe("it deletes");
  for (const text of ['{"allow": true}', ' {"allow": true}\n', '```json\n{"allow": true}\n```'])
    expect(classifierRefusal(text)).toBeUndefined();
});
