import fc from "fast-check";
import { expect, test } from "vitest";
import { asToolUseError, checkToolInput, fitsResponse } from "./check-tool-input.ts";
import { editTool } from "./files/edit-tool.ts";
import { toolWorld } from "./fixtures/world.ts";
import { schemaFaults, withDefaults } from "./json-schema.ts";
import { bashTool } from "./shell/bash.ts";

const tool = {
  name: "Thing",
  inputSchema: {
    type: "object",
    properties: {
      word: { type: "string", maxLength: 5 },
      count: { type: "integer", minimum: 1 },
      list: { type: "array", items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
      mode: { enum: ["a", "b"], default: "a" },
    },
    required: ["word"],
    additionalProperties: false,
  },
};

test("an input that fails the tool's schema gets Claude Code's message", async () => {
  const { context } = toolWorld();
  const said = async (input: unknown) => {
    const checked = await checkToolInput(tool, input, context);
    return checked.ok ? checked.input : checked.message;
  };
  const framed = (text: string) =>
    `<tool_use_error>InputValidationError: Thing failed due to the following ${text}</tool_use_error>`;
  expect(await said({})).toBe(framed("issue:\nThe required parameter `word` is missing"));
  expect(await said({ word: 5 })).toBe(
    framed("issue:\nThe parameter `word` type is expected as `string` but provided as `number`"),
  );
  expect(await said({ word: "x", bogus: 1 })).toBe(framed("issue:\nAn unexpected parameter `bogus` was provided"));
  expect(await said({ count: 0, list: [{}], mode: "c" })).toBe(
    framed(
      'issues:\nThe required parameter `word` is missing\nThe parameter `count` must be >=1 but is 0\nThe required parameter `list[0].id` is missing\nThe parameter `mode` must be "a"|"b" but is "c"',
    ),
  );
  for (const input of [null, [], "x", 5, undefined])
    expect(await said(input)).toContain("type is expected as `object`");
  expect(await said({ mode: "b", word: "x" })).toEqual({ word: "x", mode: "b" });
  expect(await said({ word: "x" })).toEqual({ word: "x", mode: "a" });
});

test("a message about a call that did not reach its tool has the recorded format", () => {
  const text = "Error: No such tool available: NoSuchTool";
  expect(asToolUseError(text)).toBe(`<tool_use_error>${text}</tool_use_error>`);
});

test("an edit gets its default before hooks see it", async () => {
  const { context, write, call } = toolWorld();
  const file_path = write("a.txt", "a");
  await call((await import("./files/read-tool.ts")).readTool, { file_path });
  const checked = await checkToolInput(editTool, { new_string: "b", old_string: "a", file_path }, context);
  expect(checked.ok && JSON.stringify(checked.input)).toBe(
    JSON.stringify({ file_path, old_string: "a", new_string: "b", replace_all: false }),
  );
});

test("only a response of the tool's own shape can replace its response", () => {
  const bash = bashTool();
  const whole = { stdout: "x", stderr: "", interrupted: false, isImage: false };
  expect(fitsResponse(bash, whole)).toBe(true);
  for (const wrong of ["x", null, [], {}, { ...whole, stdout: 1 }]) expect(fitsResponse(bash, wrong)).toBe(false);
});

test("no schema and no value make the check throw, and no key is more than a key", () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 4 }), fc.anything({ maxDepth: 4 }), (schema, value) => {
      expect(Array.isArray(schemaFaults(schema, value))).toBe(true);
    }),
    { numRuns: 200 },
  );
  const hostile = JSON.parse('{"__proto__":{"polluted":1},"word":"x"}');
  expect(Object.keys(withDefaults(tool.inputSchema, hostile))).toEqual(["word", "mode", "__proto__"]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  let deep: unknown = {};
  for (let n = 0; n < 10_000; n += 1) deep = { a: deep };
  const knot: Record<string, unknown> = { type: "object" };
  knot["properties"] = { a: knot };
  expect(schemaFaults(knot, deep)).toEqual([
    expect.stringMatching(/^The parameter `[a.]+` must be a value that is nested less deeply but is object$/),
  ]);
});
