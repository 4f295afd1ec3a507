import { expect, test } from "vitest";
import { framesOf, locateError } from "./error-location.ts";

function thrown(message: string, stack?: string): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

test.each(["file:///a%2Fb.ts:1:2", "file:///a%zz.ts:1:2"])("a stack with the URL %s has no frame there", (url) => {
  expect(locateError(thrown("no", `Error: no\n    at x (${url})\n    at y (/p/hooks.ts:3:7)`), "/p")).toEqual({
    message: "no (hooks.ts:3:7)",
    stack: "at y (hooks.ts:3:7)",
  });
});

test("a long message full of slashes takes no time to read", { timeout: 2_000 }, () => {
  const slashes = thrown("/".repeat(200_000));
  expect(framesOf(slashes).every(({ path }) => !path.startsWith("//"))).toBe(true);
});

test("a place in the message is not taken for the place of the error", () => {
  expect(
    locateError(thrown("see /other/file.ts:9:9", "Error: see /other/file.ts:9:9\n    at /p/a.ts:1:2"), "/p").message,
  ).toBe("see /other/file.ts:9:9 (a.ts:1:2)");
});
