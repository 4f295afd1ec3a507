import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../test/size.ts";
import { builtinTools } from "./builtin-tools.ts";
import { checkToolInput } from "./check-tool-input.ts";
import { toolWorld } from "./fixtures/world.ts";
import type { JsonSchema } from "./json-schema.ts";

const strange = ["", ".", "..", "~", "\0", "a\nb", "**", "[", "{a,", "\\", "$(id)", "-rf", "%s"];
// Nothing that begins at the top of the disk: these tools are real, and so is the machine.
const text = fc
  .oneof(fc.string(), fc.constantFrom(...strange, "a.txt", "sub", "1", "x".repeat(5_000)))
  .filter((words) => !words.includes("/"));

test("whatever a model writes into an input, a tool answers and its response can be rendered", async () => {
  const world = toolWorld();
  world.write("a.txt", "x\ny\n");
  world.write("sub/b.txt", "y\n");
  const webFetch = { digest: async () => "", resolve: async () => ["10.0.0.1"] };
  const tools = builtinTools(webFetch).filter(({ name }) => name !== "Bash");
  const answered = new Set<string>();
  for (const tool of tools) {
    await fc.assert(
      fc.asyncProperty(inputOf(tool.inputSchema), async (input) => {
        const checked = await checkToolInput(tool, input, world.context);
        if (!checked.ok) return;
        const target = checked.input["file_path"];
        if (!tool.readOnly && typeof target === "string" && !target.startsWith(`${world.project}/`)) return;
        const result = await tool.run(checked.input, world.context);
        if (!result.isError) {
          const content = tool.render(result.response);
          expect(typeof content === "string" || Array.isArray(content)).toBe(true);
        }
        answered.add(tool.name);
      }),
      { numRuns: sized(25, 1_000) },
    );
  }
  expect(answered.size).toBeGreaterThan(8);
});

function inputOf(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries(schema["properties"] as Record<string, JsonSchema>);
  const required = (schema["required"] ?? []) as string[];
  const fields = Object.fromEntries(properties.map(([name, part]) => [name, valueFor(part)]));
  return fc.record(fields, { requiredKeys: required }) as fc.Arbitrary<Record<string, unknown>>;
}

function valueFor({ type, enum: words }: JsonSchema): fc.Arbitrary<unknown> {
  if (Array.isArray(words)) return fc.constantFrom(...(words as unknown[]));
  switch (type) {
    case "string":
      return text;
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.integer({ min: 0, max: 1_000 });
    case "array":
      return fc.array(text, { maxLength: 3 });
    default:
      return fc.dictionary(fc.string(), fc.anything({ maxDepth: 1 }), { maxKeys: 3 });
  }
}
