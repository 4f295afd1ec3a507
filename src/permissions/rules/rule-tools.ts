import { fitsPieces } from "../../protocol/internal.ts";
import { type Glob, readSpec } from "./spec-glob.ts";
/** What kind of thing a tool is, which says what of its input a rule looks at. */
export type ToolKind = "shell" | "text" | "read" | "edit" | "web" | "agent" | "skill" | "mcp" | "other";

/** What a host may add: its own tools as one of the kinds, other names for a tool, the servers it is connected to. */
export interface ToolNames {
  readonly kinds?: Readonly<Record<string, ToolKind>>;
  /** Old name → current name. */
  readonly aliases?: Readonly<Record<string, string>>;
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

/** The fields a spec of the kind stands for, so that `Tool(field:value)` of them is refused. */
export const ownFields: Readonly<Record<ToolKind, readonly string[]>> = {
  shell: ["command"],
  text: ["command"],
  read: ["file_path", "path", "notebook_path"],
  edit: ["file_path", "path", "notebook_path"],
  web: ["url"],
  agent: ["subagent_type"],
  skill: ["skill", "args"],
  mcp: [],
  other: [],
};

/** Further fields of the known tools: `Bash(timeout:5)` means one of these, `Bash(docker:x)` is a command. */
export const otherFields: Readonly<Record<ToolKind, readonly string[]>> = {
  shell: ["description", "timeout", "run_in_background", "dangerouslyDisableSandbox"],
  text: ["description", "timeout", "run_in_background"],
  read: ["offset", "limit", "pages", "pattern", "glob", "type", "output_mode"],
  edit: ["old_string", "new_string", "replace_all", "content", "new_source", "cell_id", "cell_type", "edit_mode"],
  web: ["prompt"],
  agent: ["description", "prompt", "model", "run_in_background", "isolation", "name", "resume"],
  skill: [],
  mcp: [],
  other: [],
};

/** The name in use today for a tool's older name. */
export function currentName(name: string, names: ToolNames = {}): string {
  const own = names.aliases;
  if (own && Object.hasOwn(own, name)) return own[name] ?? name;
  return aliases.get(name) ?? name;
}

/** Further tools of the client, which a rule can only name whole. */
const others = ["WebSearch", "TodoWrite", "ExitPlanMode", "AskUserQuestion", "TaskStop", "TaskOutput"];

/** Fields of tools that have no kind of their own but fields that are known. */
export const fieldsOfOthers: ReadonlyMap<string, readonly string[]> = new Map([
  ["WebSearch", ["query"]],
  ["SlashCommand", ["command"]],
]);

/**
 * The tool that an unknown name most likely means: `bash`, `Bash:rm`. For a name that looks like one of MCP and is none,
 * such as `mcp_github` and `mcp__github:*`, that is every tool of MCP.
 */
export function meantTool(name: string, names: ToolNames = {}): string | undefined {
  if (names.kinds && Object.hasOwn(names.kinds, name)) return undefined;
  if (/^mcp(?:__.*:|[:.-]|_(?!_))/is.test(name) || (/^mcp__/i.test(name) && !name.startsWith("mcp__"))) return "mcp__*";
  if (kindOf(name, names) !== "other") return undefined;
  const wanted = name.replace(/:.*$/s, "").toLowerCase();
  return [...kinds.keys(), ...others].find((known) => known !== name && known.toLowerCase() === wanted);
}

export function kindOf(name: string, names: ToolNames = {}): ToolKind {
  const own = names.kinds;
  if (own && Object.hasOwn(own, name)) return own[name] ?? "other";
  return kinds.get(name) ?? (name.startsWith("mcp__") ? "mcp" : "other");
}

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
