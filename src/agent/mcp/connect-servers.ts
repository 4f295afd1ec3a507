import { checkAll, checkNamed, mustBe, type OptionCheck, Problem } from "../../protocol/internal.ts";
import type { Tool } from "../tools/tool.ts";
import { type FoundServer, findServers, isStarted } from "./find-servers.ts";
import { maxCharacters, renderMcpResult, resultOf, textOf } from "./mcp-result.ts";
import {
  type McpServers,
  mcpToolName,
  type ServerConnectOptions,
  type ServerConnector,
  safeName,
  serverOfTool,
  toolServerNames,
} from "./mcp-servers.ts";
import { type Connection, connect, type ListedTool, loadMcpSdk, type McpSdk } from "./server-connection.ts";
import { serverEnv } from "./stdio-transport.ts";

/** A configured server and its state. */
interface ServerEntry {
  readonly name: string;
  readonly status: "failed" | "disabled" | "untrusted" | "connected";
  readonly connection?: Connection;
}

/**
 * Connects the configured MCP servers with the official SDK: programs over stdio, and streamable HTTP. One that does not start is
 * a state and a message for the user. Only an unusable configuration that the caller named is a `Problem`.
 */
export function mcpConnector(): ServerConnector {
  return async (options) => {
    checkNamed("mcpConnector", options, checks, "host/bad-option", needed);
    const { servers, warnings } = await findServers(options);
    for (const warning of warnings) options.tell(warning);
    const usable = withoutTwins(servers, options);
    const needsSdk = usable.some(({ config }) => config.kind === "stdio" || config.kind === "http");
    const sdk = needsSdk ? await loaded(options) : undefined;
    const entries = await Promise.all(usable.map((found) => entryOf(found, sdk, options)));
    return serversOf(
      entries.filter((entry) => entry !== undefined),
      options,
    );
  };
}

/** With a misspelled policy, servers would be started that settings exclude. */
const checks: Readonly<Record<keyof ServerConnectOptions, OptionCheck | undefined>> = {
  ...checkAll(mustBe.text, "cwd", "home", "managed"),
  ...checkAll(mustBe.textList, "configs", "off"),
  ...checkAll(mustBe.function, "reads", "approved", "policy", "elicit", "tell"),
  env: mustBe.object,
  signal: mustBe.abortSignal,
};

const needed = ["cwd", "home", "env", "configs", "approved", "elicit", "tell", "signal"] as const;

/** Without the package no server can be reached. The session reports it and runs without servers. */
async function loaded({ tell }: ServerConnectOptions): Promise<McpSdk | undefined> {
  try {
    return await loadMcpSdk();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tell(error.message);
    return undefined;
  }
}

/** Two names that become one in the names of tools would give one server the rules made for the other. */
function withoutTwins(servers: readonly FoundServer[], { tell }: ServerConnectOptions): readonly FoundServer[] {
  const taken = new Map<string, string>();
  return servers.filter((server) => {
    const { name } = server;
    if (!isStarted(server)) return true;
    const first = taken.get(safeName(name));
    if (first !== undefined) tell(`The MCP server "${name}" is skipped: its tools would have the names of "${first}".`);
    else taken.set(safeName(name), name);
    return first === undefined;
  });
}

/** Undefined for a server that policy forbids: it is reported and, as in Claude Code, not listed. */
async function entryOf(
  { name, from, config }: FoundServer,
  sdk: McpSdk | undefined,
  options: ServerConnectOptions,
): Promise<ServerEntry | undefined> {
  const { cwd, env } = options;
  const report = (text: string) => options.tell(`The MCP server ${name} of ${from} ${text}`);
  if (config.kind === "off") return { name, status: "disabled" };
  if (config.kind === "refused") return void report(`is not used: ${config.why}.`);
  if (config.kind === "untrusted") {
    report(`is not started: ${config.why}. hookline trust shows and approves it.`);
    return { name, status: "untrusted" };
  }
  if (config.kind === "unusable") report(`cannot be used: ${config.why}.`);
  if (config.kind === "unusable" || sdk === undefined) return { name, status: "failed" };
  try {
    const connection = await connect(sdk, config, {
      ...options,
      name,
      env: serverEnv(env, cwd),
      connectMs: milliseconds(env["MCP_TIMEOUT"], 30_000),
      callMs: milliseconds(env["MCP_TOOL_TIMEOUT"], 600_000),
    });
    return { name, status: "connected", connection };
  } catch (error) {
    report(`did not start: ${(error as Error).message}`);
    return { name, status: "failed" };
  }
}

function milliseconds(given: string | undefined, usual: number): number {
  const ms = Number(given);
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 2 ** 31 - 1) : usual;
}

function serversOf(entries: readonly ServerEntry[], { tell, env }: ServerConnectOptions): McpServers {
  const named = toolServerNames(entries);
  const reported = new Set<string>();
  const limit = maxCharacters(env);

  /** One name is one tool of one server, or a call would reach another tool than rules and user meant. */
  function offered({ name: server, connection }: ServerEntry): readonly Tool[] {
    const taken = new Set<string>();
    if (connection === undefined) return [];
    return connection.tools.flatMap((listed) => {
      const tool = toolOf(server, listed, connection, limit);
      const reads = serverOfTool(tool.name, named);
      const twin = taken.has(tool.name) ? "another tool of that server has this name already" : undefined;
      const misread = `that reads as a tool of the server "${reads ?? ""}". Give one of the two servers another name`;
      const why = reads === safeName(server) ? twin : misread;
      taken.add(tool.name);
      if (why === undefined) return [tool];
      const text = `The tool "${listed.name}" of the MCP server "${server}" is skipped as ${tool.name}: ${why}.`;
      if (!reported.has(text)) tell(text);
      reported.add(text);
      return [];
    });
  }

  return {
    get tools() {
      return entries.flatMap(offered);
    },
    get states() {
      return entries.map(({ name, status, connection }) => ({
        name,
        status: connection === undefined || connection.connected ? status : "failed",
      }));
    },
    // For hooks of type `mcp_tool`: only servers that are connected already.
    async port({ server, tool, input }, signal) {
      const live = entries.filter(({ connection }) => connection?.connected === true);
      const entry = live.find(({ name }) => name === server) ?? live.find(({ name }) => safeName(name) === server);
      if (entry?.connection === undefined) return { connected: false };
      const result = await entry.connection.call(tool, input, signal);
      if (result.isError) return { connected: true, text: result.message, isError: true };
      return { connected: true, text: textOf(result.response), isError: false };
    },
    async close() {
      await Promise.all(entries.map(({ connection }) => connection?.close()));
    },
  };
}

function toolOf(server: string, listed: ListedTool, connection: Connection, limit: number): Tool {
  const name = mcpToolName(server, listed.name);
  return {
    name,
    description: listed.description ?? "",
    inputSchema: listed.inputSchema,
    // What a server claims is not a reason to give its tools to agents that may only read.
    readOnly: false,
    render: (response) => renderMcpResult(response, limit),
    run: async (input, context) =>
      resultOf(name, await connection.call(listed.name, input, context.signal), limit, context),
  };
}
