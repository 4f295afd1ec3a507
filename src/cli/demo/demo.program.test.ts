import { expect, test } from "vitest";
import { styleFor } from "../print/style.ts";
import { missingSteps } from "./checks.ts";
import { playStory } from "./play.ts";
import { makeDemoProject } from "./project.ts";

test("the story plays offline and every step does what it says", async () => {
  const project = await makeDemoProject(process.env["PATH"]);
  let text = "";
  const plain = styleFor({ terminal: { out: false, err: false, colour: false, columns: 80 } } as never);
  try {
    const { seen } = await playStory(project, {
      delayMs: 0,
      say: async (said) => {
        text += said;
      },
      style: plain,
      signal: new AbortController().signal,
    });
    if (process.env["SHOW"]) console.log(text);
    expect(missingSteps(seen)).toEqual([]);
  } finally {
    await project.remove();
  }
  const lines = text.split("\n");
  // One line per event, readable at 80 columns without colour.
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.some((line) => /PreToolUse +Bash +guard\.sh +denied +\d+ ms$/.test(line))).toBe(true);
  expect(lines.some((line) => /Stop +tests-pass\.sh +sent back +\d+ ms$/.test(line))).toBe(true);
  expect(lines.filter((line) => line.startsWith("person: "))).toEqual([
    "person: The total of the basket is negative. Please fix it.",
    "person: yes",
    "person: /compact",
    "person: What must you keep in mind about prices?",
  ]);
});
