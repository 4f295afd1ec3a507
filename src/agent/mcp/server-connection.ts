import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onAbort } from "../../exec/internal.ts";
import { sameOriginFetch } from "../../net/internal.ts";
import { loadPackage, type ToolInput } from "../../protocol/internal.ts";
import { type CallResult, responseOf, textOf } from "./mcp-result.ts";
import type { ServerConnectOptions } from "./mcp-servers.ts";
import type { ServerConfig } from "./server-config.ts";
import { type StdioTransport, stdioTransport } from "./stdio-transport.ts";

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One connected server. */
export type Connection = Readonly<Awaited<ReturnType<typeof connect>>>;

export interface ConnectionOptions extends Pick<ServerConnectOptions, "cwd" | "env" | "elicit" | "tell" | "signal"> {
  readonly name: string;
  readonly connectMs: number;
  readonly callMs: number;
}

/** Contract: rejects with an error whose message says why the server did not start; nothing is left running then. */
export async function connect(sdk: McpSdk, config: ServerConfig, options: ConnectionOptions) {
  const { name, tell } = options;
  const transport = transportOf(sdk, config, options);
  const client = new sdk.Client(
    { name: "hookline", version: "0" },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  );
  const connection = { connected: false, tools: [] as readonly ListedTool[], call, close };
  let lastError = "";

  client.setRequestHandler(sdk.ElicitRequestSchema, async ({ params }, { signal }) => {
    if (params.mode === "url") {
      tell(`Declined the request of MCP server ${name} to open a page.`);
      return { action: "decline" };
    }
    const schema = params.requestedSchema as Readonly<Record<string, unknown>>;
    const { action, content } = await options.elicit({ server: name, message: params.message, schema }, signal);
    return action === "accept" ? { action, content: content as Record<string, string> } : { action };
  });
  client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, async () => {
    connection.tools = await listTools(client, options);
  });
  client.onerror = (error) => {
    lastError = error.message;
  };
  client.onclose = () => {
    if (connection.connected) tell(`The MCP server ${name} has exited: ${whyGone()}`);
    connection.connected = false;
  };

  function whyGone(): string {
    const stderr = "stderrEnd" in transport ? (transport as StdioTransport).stderrEnd() : "";
    return [lastError || "the connection was closed", stderr].filter(Boolean).join(". It printed: ");
  }

  /** Contract: never rejects; a server that has exited is an error result. */
  async function call(tool: string, input: ToolInput, signal: AbortSignal): Promise<CallResult> {
    if (!connection.connected) return failure(`The MCP server ${name} is not connected: ${whyGone()}`);
    try {
      const request = { name: tool, arguments: { ...input } };
      const limits = { timeout: options.callMs, resetTimeoutOnProgress: true };
      const result = await withOwnSignal(signal, (own) =>
        client.callTool(request, undefined, { ...limits, signal: own }),
      );
      const response = responseOf(result);
      return result.isError === true ? failure(textOf(response)) : { isError: false, response };
    } catch (cause) {
      if (signal.aborted) return { isError: true, message: "The call was interrupted.", interrupted: true };
      const gone = connection.connected ? "" : ` (the server has exited: ${whyGone()})`;
      return failure(`The MCP server ${name} did not answer: ${(cause as Error).message}${gone}`);
    }
  }

  async function close(): Promise<void> {
    if (connection.connected && "terminateSession" in transport)
      await endHttpSession(transport as StreamableHTTPClientTransport);
    connection.connected = false;
    await client.close();
    await transport.close(); // the client forgets a transport that did not start
  }

  try {
    await withOwnSignal(options.signal, (signal) => client.connect(transport, { timeout: options.connectMs, signal }));
    connection.tools = await listTools(client, options);
    connection.connected = true;
  } catch (cause) {
    const why = (cause as Error).message;
    await close();
    throw new Error([why, whyGone()].filter((text, at) => at === 0 || !why.includes(text)).join(": "), { cause });
  }
  return connection;
}

/** Ends our session at the server. One that does not answer is not waited for. */
async function endHttpSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const ended = transport.terminateSession().catch(() => undefined); // it has exited or has no sessions: nothing to end
  await Promise.race([ended, sleep(goodbyeMs, undefined, { ref: false })]);
}

const goodbyeMs = 500;

/** A signal of its own for each request: the SDK never stops listening to the one it is given. */
async function withOwnSignal<Value>(signal: AbortSignal, ask: (own: AbortSignal) => Promise<Value>): Promise<Value> {
  const own = new AbortController();
  if (signal.aborted) own.abort(signal.reason);
  const stopListening = onAbort(signal, () => own.abort(signal.reason));
  try {
    return await ask(own.signal);
  } finally {
    stopListening();
  }
}

function failure(message: string): CallResult {
  return { isError: true, message, interrupted: false };
}

function transportOf(sdk: McpSdk, config: ServerConfig, { cwd, env }: ConnectionOptions): Transport {
  if (config.kind === "stdio") {
    return stdioTransport({ command: config.command, args: config.args, cwd, env: { ...env, ...config.env } });
  }
  // The SDK's class allows undefined for an optional member; its own interface does not.
  return new sdk.StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: sameOriginFetch,
  }) as Transport;
}

/** All pages up to a limit. A server without tools is valid. */
async function listTools(client: Client, { connectMs, signal }: ConnectionOptions): Promise<readonly ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const from = cursor === undefined ? {} : { cursor };
    const answer = await withOwnSignal(signal, (own) => client.listTools(from, { timeout: connectMs, signal: own }));
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

const maxPages = 100;

export type McpSdk = Awaited<ReturnType<typeof loadMcpSdk>>;

/** Loads the parts of the official SDK that are used here. */
export async function loadMcpSdk() {
  const [{ Client }, { StreamableHTTPClientTransport }, { ElicitRequestSchema, ToolListChangedNotificationSchema }] =
    await loadPackage("@modelcontextprotocol/sdk", "A connection to an MCP server", () =>
      Promise.all([
        import("@modelcontextprotocol/sdk/client/index.js"),
        import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
        import("@modelcontextprotocol/sdk/types.js"),
      ]),
    );
  return { Client, StreamableHTTPClientTransport, ElicitRequestSchema, ToolListChangedNotificationSchema };
}
