import type { Tool } from "../tools/tool.ts";
import type { AgentDefinition } from "./subagent-definitions.ts";

/** The tools an agent of a kind may have. */
export function allowedTools(tools: readonly Tool[], definition?: AgentDefinition): readonly Tool[] {
  if (definition === undefined) return tools;
  return tools.filter(
    (tool) =>
      (definition.tools?.some((name) => isNamed(name, tool.name)) ?? true) &&
      !(definition.disallowedTools?.some((name) => takesAway(name, tool.name)) ?? false) &&
      (definition.readOnly !== true || tool.readOnly),
  );
}

/**
 * A rule such as `Bash(rm *)` takes the whole tool away: to limit a tool is the business of permission rules. `mcp__a` is a whole server,
 * `*` any run of letters, and a name in other letters is meant all the same.
 */
function takesAway(disallowed: string, tool: string): boolean {
  const name = disallowed.replace(/\(.*$/s, "");
  return isNamed(name, tool) || fits(name.toLowerCase().split("*"), tool.toLowerCase());
}

function isNamed(name: string, tool: string): boolean {
  return name === tool || (name === "Task" && tool === "Agent") || isServerOf(name.replace(/__\*$/, ""), tool);
}

function isServerOf(name: string, tool: string): boolean {
  return /^mcp__/.test(name) && tool.startsWith(`${name}__`);
}

/** Whether the pieces between stars occur in order, the first at the start and the last at the end. */
function fits([first = "", ...pieces]: readonly string[], text: string): boolean {
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
