import { expect, test } from "vitest";
import { answerWithoutHandlers } from "./wire-answer.ts";

test("a failure is printed once when the answer is an exit code", () => {
  const outputOn = (event: string) => {
    const { stdout, stderr, exitCode } = answerWithoutHandlers({ hook_event_name: event }, "block", "does not load");
    return [stdout, stderr, exitCode];
  };
  expect(outputOn("ConfigChange")).toEqual(["", "hookline: does not load\n", 2]);
  expect(outputOn("WorktreeCreate")).toEqual(["", "hookline: does not load\n", 1]);
  expect(outputOn("Elicitation")).toEqual([
    expect.stringContaining('"action":"decline"'),
    "hookline: does not load\n",
    0,
  ]);
});
