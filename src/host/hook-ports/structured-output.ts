import type { ModelEnd, ToolChoice, ToolDefinition, ToolUseBlock } from "../../models/index.ts";

/** The tool by which a model gives its verdict; a model that must call it cannot answer in prose. */
export function structuredOutput(schema: Readonly<Record<string, unknown>>): ToolDefinition {
  return {
    name: toolName,
    description: "Gives your verdict. Call it exactly once, when you know whether the condition is met.",
    input_schema: schema,
  };
}

export const toolName = "StructuredOutput";

export const forced: ToolChoice = { type: "tool", name: toolName };

export function verdictsIn({ content }: ModelEnd): readonly ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === "tool_use" && block.name === toolName);
}

/**
 * What the model replied: the input of its one call, or its text where the server let it answer without. Whether that is a reply at
 * all the engine decides. Contract: two verdicts are none.
 */
export function replyIn(answer: ModelEnd): unknown {
  const [verdict, ...further] = verdictsIn(answer);
  if (further.length > 0) throw new Error("the model gave more than one verdict");
  if (verdict !== undefined) return answer.broken?.[verdict.id] ?? verdict.input;
  return answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}
