import { expect, test } from "vitest";
import { fillTemplates } from "./mcp-tool.ts";

const payload = {
  tool_name: "Write",
  tool_input: { command: "ls ${tool_name}", count: 3, flags: ["a", { deep: null }], none: null },
};

test("templates in texts take values from the payload", () => {
  const input = {
    text: "run ${tool_input.command} ${tool_input.count} ${tool_input.flags}",
    deep: [{ t: "${ tool_name }!" }],
  };
  expect(fillTemplates(input, payload)).toEqual({
    input: { text: 'run ls ${tool_name} 3 ["a",{"deep":null}]', deep: [{ t: "Write!" }] },
    warnings: [],
  });
});

test("a text that is one template keeps the value's type", () => {
  const input = { n: "${tool_input.count}", o: "${tool_input.flags.1}", nil: "${tool_input.none}", raw: 7, yes: true };
  expect(fillTemplates(input, payload)).toEqual({
    input: { n: 3, o: { deep: null }, nil: null, raw: 7, yes: true },
    warnings: [],
  });
});

test("a path that leads nowhere gives an empty text, with one warning", () => {
  const { input, warnings } = fillTemplates({ a: "${tool_input.nope}", b: "x${tool_input.nope}y" }, payload);
  expect(input).toEqual({ a: "", b: "xy" });
  expect(warnings).toEqual([
    {
      code: "template-missing",
      message:
        "${tool_input.nope} in the hook's input refers to a field that is missing in the payload; the placeholder was replaced with nothing.",
      place: "tool_input.nope",
    },
  ]);
});

test.each([
  "constructor",
  "__proto__",
  "toString",
  "tool_input.constructor.name",
  "tool_input.flags.length",
  "tool_input.flags.01",
  "tool_name.length",
  "tool_name.0",
  "tool_input.none.x",
  ".tool_name",
  "",
  " ",
])("a path reaches own fields only: %j", (path) => {
  expect(fillTemplates({ a: `<\${${path}}>` }, payload).input["a"]).toBe(path === "" ? "<${}>" : "<>");
});

test("an input with a key named __proto__ stays data", () => {
  const { input } = fillTemplates(JSON.parse('{"__proto__": {"x": "${tool_name}"}}'), payload);
  expect([Object.keys(input), ({} as Record<string, unknown>)["x"]]).toEqual([["__proto__"], undefined]);
});

test("an input nested without end is passed on", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(4_000)}1${"}".repeat(4_000)}`);
  expect(fillTemplates(deep, payload).warnings).toEqual([]);
});

test("many templates in a long text are filled without delay", () => {
  const { input } = fillTemplates({ a: "${".repeat(50_000), b: "${tool_name}".repeat(20_000) }, payload);
  expect(input).toEqual({ a: "${".repeat(50_000), b: "Write".repeat(20_000) });
});
