import { fitsPieces } from "../../protocol/internal.ts";
import { type Glob, readSpec } from "./spec-patterns.ts";

/** The kind of a tool. It determines which part of the input a rule matches. */
export type ToolKind = "shell" | "text" | "read" | "edit" | "web" | "agent" | "skill" | "mcp" | "other";

/** Tools of the host: its own tools by kind, aliases, and the names of its MCP servers. */
export interface ToolNames {
  /** How rules read the input of a tool, by its name. */
  readonly kinds?: Readonly<Record<string, ToolKind>>;
  /** Old name → current name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The names of the servers. */
  readonly mcpServers?: readonly string[];
}

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ["Bash", "shell"],
  ["PowerShell", "text"],
  ...["Read", "Grep", "Glob", "LS", "NotebookRead"].map((name) => [name, "read"] as const),
  ...["Edit", "MultiEdit", "Write", "NotebookEdit"].map((name) => [name, "edit"] as const),
  ["WebFetch", "web"],
  ["Agent", "agent"],
  ["Skill", "skill"],
] as const);

const aliases: ReadonlyMap<string, string> = new Map([["Task", "Agent"]]);

interface ToolFields {
  /** The fields that a plain spec matches. `Tool(field:value)` with one of them is rejected. */
  readonly own: readonly string[];
  /** The other known fields: `Bash(timeout:5)` is a field, `Bash(docker:x)` is a command. */
  readonly others: readonly string[];
}

const paths = ["file_path", "path", "notebook_path"];
const edits = "old_string new_string replace_all content new_source cell_id cell_type edit_mode".split(" ");

export const toolFields: Readonly<Record<ToolKind, ToolFields>> = {
  shell: { own: ["command"], others: ["description", "timeout", "run_in_background", "dangerouslyDisableSandbox"] },
  text: { own: ["command"], others: ["description", "timeout", "run_in_background"] },
  read: { own: paths, others: ["offset", "limit", "pages", "pattern", "glob", "type", "output_mode"] },
  edit: { own: paths, others: edits },
  web: { own: ["url"], others: ["prompt"] },
  agent: {
    own: ["subagent_type"],
    others: ["description", "prompt", "model", "run_in_background", "isolation", "name", "resume"],
  },
  skill: { own: ["skill", "args"], others: [] },
  mcp: { own: [], others: [] },
  other: { own: [], others: [] },
};

/** The current name of a tool; older names are aliases. */
export function currentName(name: string, names: ToolNames = {}): string {
  const own = names.aliases;
  if (own && Object.hasOwn(own, name)) return own[name] ?? name;
  return aliases.get(name) ?? name;
}

/** Other tools of Claude Code. Rules on them have no spec. */
const otherTools = ["WebSearch", "TodoWrite", "ExitPlanMode", "AskUserQuestion", "TaskStop", "TaskOutput"];

/** The known fields of tools that have no kind of their own. */
export const fieldsOfOthers: ReadonlyMap<string, readonly string[]> = new Map([
  ["WebSearch", ["query"]],
  ["SlashCommand", ["command"]],
]);

/**
 * The tool that an unknown name probably means: Bash for `bash` and `Bash:rm`. For a malformed MCP name, such as `mcp_github` or
 * `mcp__github:*`, every MCP tool.
 */
export function intendedTool(name: string, names: ToolNames = {}): string | undefined {
  if (names.kinds && Object.hasOwn(names.kinds, name)) return undefined;
  if (/^mcp(?:__.*:|[:.-]|_(?!_))/is.test(name) || (/^mcp__/i.test(name) && !name.startsWith("mcp__"))) return "mcp__*";
  if (kindOf(name, names) !== "other") return undefined;
  const wanted = name.replace(/:.*$/s, "").toLowerCase();
  return [...kinds.keys(), ...otherTools].find((tool) => tool !== name && tool.toLowerCase() === wanted);
}

export function kindOf(name: string, names: ToolNames = {}): ToolKind {
  const own = names.kinds;
  if (own && Object.hasOwn(own, name)) return own[name] ?? "other";
  return kinds.get(name) ?? (name.startsWith("mcp__") ? "mcp" : "other");
}

/** The tool names that a rule covers. */
export interface ToolPattern {
  readonly name: Glob;
  /** `mcp__server`: every tool of that server. */
  readonly server?: string;
}

export function compileTool(toolText: string, names: ToolNames = {}): ToolPattern {
  const tool = currentName(toolText, names);
  const server = /^mcp__(.+?)(?:__\*?)?$/.exec(tool)?.[1];
  // A server's name may contain `__`: only the list of servers tells whether `mcp__a__b` is a server or a tool.
  const whole =
    server !== undefined && !server.includes("*") && (!server.includes("__") || names.mcpServers?.includes(server));
  return whole ? { name: readSpec(tool), server } : { name: readSpec(tool) };
}

/** Whether the pattern covers a tool, given by its current name. */
export function coversTool(pattern: ToolPattern, tool: string, names: ToolNames = {}): boolean {
  if (pattern.server !== undefined) {
    const server = serverOf(tool, names);
    return server === undefined ? tool.startsWith(`mcp__${pattern.server}__`) : server === pattern.server;
  }
  return fitsPieces(pattern.name, tool);
}

/** In an allow rule `*` may only follow a literal `mcp__server__`. */
export function isTooWide(toolText: string): boolean {
  const star = toolText.indexOf("*");
  return star >= 0 && !/^mcp__[^*]+__/.test(toolText.slice(0, star));
}

/** The server of an MCP tool, if the host lists its servers: the longest matching name. */
function serverOf(tool: string, names: ToolNames): string | undefined {
  const known = names.mcpServers?.filter((server) => tool.startsWith(`mcp__${server}__`)) ?? [];
  return known.sort((a, b) => b.length - a.length)[0];
}
