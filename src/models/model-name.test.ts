import { expect, test } from "vitest";
import { parseModelName } from "./open-model.ts";

test("the prefix of a name selects the port", () => {
  expect(
    ["scripted:a b/c:d.json", "openai:gpt-x", "claude-sonnet-5", " opus ", "anthropic:opus"].map(parseModelName),
  ).toEqual([
    { port: "scripted", model: "a b/c:d.json" },
    { port: "openai", model: "gpt-x" },
    { port: "anthropic", model: "claude-sonnet-5" },
    { port: "anthropic", model: "opus" },
    { port: "anthropic", model: "opus" },
  ]);
});

test("a prefix with nothing behind it names no model", () => {
  for (const name of ["", "scripted:", "openai:"]) {
    expect(() => parseModelName(name)).toThrow(`"${name}" names no model. Write a model's name, openai:NAME`);
  }
});
