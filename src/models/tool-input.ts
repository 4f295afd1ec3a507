import type { ToolUseBlock } from "./message.ts";

/** A tool call out of what the model wrote. Input that is no JSON object becomes `{}`, and `broken` keeps the text under the call's id. */
export function toolCallOf(id: string, name: string, json: string, broken: Record<string, string>): ToolUseBlock {
  const input = json.trim() === "" ? {} : objectIn(json);
  // The id is the model's word too: a plain assignment would lose one called `__proto__`.
  if (input === undefined) Object.defineProperty(broken, id, { value: json, enumerable: true });
  return { type: "tool_use", id, name, input: input ?? {} };
}

function objectIn(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const is = typeof value === "object" && value !== null && !Array.isArray(value);
    return is ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // no JSON: the caller keeps the text
  }
}
