import type { Tool } from "../tools/tool.ts";
import type { AgentDefinition } from "./definitions.ts";

/** The tools an agent of a kind may have. */
export function allowedTools(tools: readonly Tool[], definition?: AgentDefinition): readonly Tool[] {
  if (definition === undefined) return tools;
  return tools.filter(
    (tool) => (definition.tools?.includes(tool.name) ?? true) && (definition.readOnly !== true || tool.readOnly),
  );
}
