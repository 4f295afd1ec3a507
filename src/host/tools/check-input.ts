import type { ToolInput } from "../../protocol/index.ts";
import { faultsOf, type JsonSchema, type SchemaFault, withDefaults } from "./schema.ts";
import type { Tool, ToolContext } from "./tool.ts";

export type CheckedInput =
  | { readonly ok: true; readonly input: ToolInput }
  /** `message` is the whole tool result, an error, for the model. */
  | { readonly ok: false; readonly message: string };

/** Before any hook: an input that is not the tool's own goes straight back to the model. Defaults are filled in. */
export async function checkInput(
  tool: Pick<Tool, "name" | "inputSchema" | "expand" | "refuse">,
  input: unknown,
  context: ToolContext,
): Promise<CheckedInput> {
  const faults = faultsOf({ type: "object", ...tool.inputSchema }, input);
  if (faults.length > 0) return { ok: false, message: framed(`InputValidationError: ${issues(tool.name, faults)}`) };
  const whole = withDefaults(tool.inputSchema, input as Record<string, unknown>);
  const filled = tool.expand?.(whole, context) ?? whole;
  const refused = await tool.refuse?.(filled, context);
  return refused === undefined ? { ok: true, input: filled } : { ok: false, message: framed(refused) };
}

/** Whether a response that a hook gave can stand for the tool's own. */
export function fitsResponse(tool: Pick<Tool, "responseSchema">, response: unknown): boolean {
  const schema: JsonSchema = tool.responseSchema ?? {};
  return faultsOf(schema, response).length === 0;
}

/** The whole tool result for a name that no tool has. */
export function noSuchTool(name: string): string {
  return framed(`Error: No such tool available: ${name}`);
}

/** What a tool's own check found, as the client words it. */
export function ownIssue(field: string, message: string): string {
  return `InputValidationError: ${JSON.stringify([{ code: "custom", path: [field], message }], null, 2)}`;
}

function framed(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}

function issues(name: string, faults: readonly SchemaFault[]): string {
  const noun = faults.length === 1 ? "issue" : "issues";
  return `${name} failed due to the following ${noun}:\n${faults.map(sentenceOf).join("\n")}`;
}

function sentenceOf({ path, kind, expected, found }: SchemaFault): string {
  switch (kind) {
    case "missing":
      return `The required parameter \`${path}\` is missing`;
    case "unexpected":
      return `An unexpected parameter \`${path}\` was provided`;
    case "type":
      return `The parameter \`${path}\` type is expected as \`${expected}\` but provided as \`${found}\``;
    case "value":
      return `The parameter \`${path}\` must be ${expected} but is ${found}`;
  }
}
