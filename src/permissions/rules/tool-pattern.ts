import { fitsPieces } from "../../protocol/index.ts";
import { currentName, type ToolNames } from "./rule-tools.ts";
import { readSpec } from "./spec.ts";
import type { Glob } from "./spec-glob.ts";

/** Which tool names a rule is about. */
export interface ToolPattern {
  readonly name: Glob;
  /** `mcp__server`: every tool of that server. */
  readonly server?: string;
}

export function compileTool(written: string, names: ToolNames = {}): ToolPattern {
  const tool = currentName(written, names);
  const server = /^mcp__(.+?)(?:__\*?)?$/.exec(tool)?.[1];
  // A server's name may itself hold `__`; only a host that names its servers can tell `mcp__a__b` apart from a tool.
  const whole =
    server !== undefined && !server.includes("*") && (!server.includes("__") || names.mcpServers?.includes(server));
  return whole ? { name: readSpec(tool), server } : { name: readSpec(tool) };
}

/** Whether a call of `tool` (by its current name) is meant. */
export function coversTool(pattern: ToolPattern, tool: string, names: ToolNames = {}): boolean {
  if (pattern.server !== undefined) {
    const server = serverOf(tool, names);
    return server === undefined ? tool.startsWith(`mcp__${pattern.server}__`) : server === pattern.server;
  }
  return fitsPieces(pattern.name, tool);
}

/** An allow rule may hold `*` only behind a literal `mcp__server__`. */
export function isTooWide(written: string): boolean {
  const star = written.indexOf("*");
  return star >= 0 && !/^mcp__[^*]+__/.test(written.slice(0, star));
}

/** The server of an MCP tool where the host named its servers: the longest that fits. */
function serverOf(tool: string, names: ToolNames): string | undefined {
  const known = names.mcpServers?.filter((server) => tool.startsWith(`mcp__${server}__`)) ?? [];
  return known.sort((a, b) => b.length - a.length)[0];
}
