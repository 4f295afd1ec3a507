import { expect, test } from "vitest";
import { faultsOf, type JsonSchema } from "./check-tool-input.ts";

test("validating nested choices takes linear time", () => {
  let schema: JsonSchema = { type: "string" };
  for (let depth = 0; depth < 60; depth += 1) schema = { anyOf: [schema, { type: "null" }] };
  expect(faultsOf(schema, 5, "x")).toEqual([{ path: "x", kind: "type", expected: "string", found: "number" }]);
  expect([faultsOf(schema, "text"), faultsOf(schema, null)]).toEqual([[], []]);
});
