import type { McpPort, ServerTrust } from "../../engine/internal.ts";
import type { McpState } from "../agent-event.ts";
import type { ElicitationAnswer, ElicitationForm } from "../agent-ports.ts";
import type { Tool } from "../tools/tool.ts";
import type { ServerPolicy } from "./server-config.ts";

/** The servers a session is connected to. */
export interface McpServers {
  /** The tools of all servers. */
  readonly tools: readonly Tool[];
  /** Each server and whether it is connected. */
  readonly states: readonly McpState[];
  /** For hooks that call a server's tool. */
  readonly port: McpPort;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** What a connector gets from the session. */
export interface ServerConnectOptions {
  /** The project folder. */
  readonly cwd: string;
  /** The home folder. */
  readonly home: string;
  /** The environment of the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files, or JSON texts, that were named on the command line. */
  readonly configs: readonly string[];
  /** Whether servers of a source are used; all are when absent. `local` is the user's own for this folder, `flag` is `configs`. */
  readonly reads?: (source: "user" | "project" | "local" | "flag") => boolean;
  /** Whether a server that the project itself configures may be started. */
  readonly approved: ServerTrust;
  /** Why settings keep a server from being used (`deniedMcpServers`, `allowedMcpServers`); undefined for one that may be used. */
  readonly policy?: ServerPolicy;
  /** Servers of `.mcp.json` that settings switch off. */
  readonly off?: readonly string[];
  /** Where `managed-mcp.json` would be: if it is there, no other server may be used. */
  readonly managed?: string;
  /** Answers a server's form. */
  readonly elicit: (form: ElicitationForm, signal: AbortSignal) => Promise<ElicitationAnswer>;
  /** Shows the user a message. */
  readonly tell: (text: string) => void;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
}

/** Connects the servers of a session. Contract: never rejects for what a server does; a server that does not start is a state, not an error. */
export type ServerConnector = (wishes: ServerConnectOptions) => Promise<McpServers>;

/** `mcp__server__tool`, in letters that every API takes. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${safeName(server)}__${safeName(tool)}`.slice(0, maxNameLength);
}

/** A server's name as it is spelled in the names of its tools. */
export function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** Which of the servers (`plain`) a tool's name is read as: the one with the longest name that fits, as rules read it. */
export function serverOfTool(toolName: string, servers: readonly string[]): string | undefined {
  const fitting = servers.filter((server) => toolName.startsWith(`mcp__${server}__`));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

/** Names of the servers that may have tools, for the rules. A server that is not started does not affect how tool names are read. */
export function toolServerNames(states: readonly McpState[]): readonly string[] {
  return states.filter(({ status }) => status === "connected" || status === "failed").map(({ name }) => safeName(name));
}

const maxNameLength = 128;
