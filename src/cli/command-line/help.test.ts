import { expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

const home = "/";

test.each([
  [
    ["help", "test"],
    ["test", "--help"],
  ],
  [
    ["help", "run"],
    ["run", "--help"],
  ],
  [
    ["help", "sessions"],
    ["sessions", "--help"],
  ],
  [
    ["help", "sessions", "ls"],
    ["sessions", "ls", "--help"],
  ],
  [["help"], ["--help"]],
])("%j prints what %j prints", async (asked, same) => {
  const result = await callHookline(asked, { home });
  expect(result).toEqual(await callHookline(same, { home }));
  expect([result.status, result.err]).toEqual([0, ""]);
});

test("help for a command that does not exist names the nearest one", async () => {
  const { status, err } = await callHookline(["help", "tset"], { home });
  expect([status, err]).toEqual([1, 'hookline: Unknown command "tset". Did you mean "test"?\n']);
});

test("the help leaves out an option that has no effect yet", async () => {
  const { out } = await callHookline(["demo", "--help"], { home });
  expect(out).not.toContain("studio");
});
