import type { Tool } from "../tools/tool.ts";
import type { AgentDefinition } from "./definitions.ts";

/** The tools an agent of a kind may have. */
export function allowedTools(tools: readonly Tool[], definition?: AgentDefinition): readonly Tool[] {
  if (definition === undefined) return tools;
  return tools.filter(
    (tool) =>
      (definition.tools?.includes(tool.name) ?? true) &&
      !(definition.disallowedTools?.some((name) => covers(name, tool.name)) ?? false) &&
      (definition.readOnly !== true || tool.readOnly),
  );
}

/** A rule such as `Bash(rm *)` takes the whole tool away: to limit a tool is the business of permission rules. `mcp__a` is a whole server. */
function covers(disallowed: string, tool: string): boolean {
  const name = disallowed.replace(/\(.*$/s, "").replace(/__\*$/, "");
  return name === tool || name === "*" || (name === "Task" && tool === "Agent") || isServerOf(name, tool);
}

function isServerOf(name: string, tool: string): boolean {
  return /^mcp__/.test(name) && tool.startsWith(`${name}__`);
}
