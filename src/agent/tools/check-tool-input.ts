import type { ToolInput } from "../../protocol/internal.ts";
import { schemaFaults, withDefaults } from "./json-schema.ts";
import type { Tool, ToolContext } from "./tool.ts";

export type CheckedInput =
  | { readonly ok: true; readonly input: ToolInput }
  /** `message` is the whole tool result, an error, for the model. */
  | { readonly ok: false; readonly message: string };

/** Runs before any hook: an input that does not fit the tool is returned to the model as an error. Defaults are filled in. */
export async function checkToolInput(
  tool: Pick<Tool, "name" | "inputSchema" | "expand" | "refuse">,
  input: unknown,
  context: ToolContext,
): Promise<CheckedInput> {
  const faults = schemaFaults({ type: "object", ...tool.inputSchema }, input);
  if (faults.length > 0) {
    const noun = faults.length === 1 ? "issue" : "issues";
    const issues = `${tool.name} failed due to the following ${noun}:\n${faults.join("\n")}`;
    return { ok: false, message: asToolUseError(`InputValidationError: ${issues}`) };
  }
  const whole = withDefaults(tool.inputSchema, input as Record<string, unknown>);
  const filled = tool.expand?.(whole, context) ?? whole;
  const refused = await tool.refuse?.(filled, context);
  return refused === undefined ? { ok: true, input: filled } : { ok: false, message: asToolUseError(refused) };
}

/** Whether a response of a hook can replace that of the tool. */
export function fitsResponse(tool: Pick<Tool, "responseSchema">, response: unknown): boolean {
  return schemaFaults(tool.responseSchema ?? {}, response).length === 0;
}

/** What a tool's own check found, in the format of Claude Code. */
export function inputIssue(field: string, message: string): string {
  return `InputValidationError: ${JSON.stringify([{ code: "custom", path: [field], message }], null, 2)}`;
}

/** A message about a call that did not reach its tool, in the format of Claude Code. */
export function asToolUseError(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}
