import { missingPackage } from "../../protocol/index.ts";

/** What of the official SDK is used here, loaded when the first server is to be connected. */
export interface McpSdk {
  readonly Client: typeof import("@modelcontextprotocol/sdk/client/index.js").Client;
  readonly StreamableHTTPClientTransport: typeof import("@modelcontextprotocol/sdk/client/streamableHttp.js").StreamableHTTPClientTransport;
  readonly ElicitRequestSchema: typeof import("@modelcontextprotocol/sdk/types.js").ElicitRequestSchema;
  readonly ToolListChangedNotificationSchema: typeof import("@modelcontextprotocol/sdk/types.js").ToolListChangedNotificationSchema;
}

export async function loadMcpSdk(): Promise<McpSdk> {
  try {
    return await loadParts();
  } catch (cause) {
    throw missingPackage("@modelcontextprotocol/sdk", "A connection to an MCP server", cause);
  }
}

async function loadParts(): Promise<McpSdk> {
  const [{ Client }, { StreamableHTTPClientTransport }, { ElicitRequestSchema, ToolListChangedNotificationSchema }] =
    await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
  return { Client, StreamableHTTPClientTransport, ElicitRequestSchema, ToolListChangedNotificationSchema };
}
