import { expect, test } from "vitest";
import { type JsonSchema, schemaFaults } from "./json-schema.ts";

test("validating nested choices takes linear time", () => {
  let schema: JsonSchema = { type: "string" };
  for (let depth = 0; depth < 60; depth += 1) schema = { anyOf: [schema, { type: "null" }] };
  expect(schemaFaults(schema, 5, "x")).toEqual([
    "The parameter `x` type is expected as `string` but provided as `number`",
  ]);
  expect([schemaFaults(schema, "text"), schemaFaults(schema, null)]).toEqual([[], []]);
});
