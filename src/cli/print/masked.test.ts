import { expect, test } from "vitest";
import { maskTokens } from "./install-report.ts";

test("no token of a settings file is shown, not even one of an earlier install or of another program", () => {
  const text = '{"headers": {"Authorization": "Bearer 00ff", "authorization" :\n"Bearer a\\"b", "X": "Bearer x"}}';
  expect(maskTokens(text)).toBe(
    '{"headers": {"Authorization": "Bearer …", "authorization" :\n"Bearer …", "X": "Bearer x"}}',
  );
  expect(maskTokens('{"Authorization": "Bearer $TOKEN"}')).toBe('{"Authorization": "Bearer $TOKEN"}');
});
