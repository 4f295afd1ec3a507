/** Entry point `hookline/agent`: the reference agent. Unstable until 1.0. */
export type { ServerTrust } from "../engine/internal.ts";
export type { AgentResult, Denial, ModelSpending } from "../protocol/internal.ts";
export type { AgentEvent, McpState, TaskIdentity, TaskStep, TaskUsage } from "./agent-event.ts";
export type { RunAgentOptions } from "./agent-options.ts";
export type {
  AgentControl,
  ElicitationAnswer,
  ElicitationForm,
  HookCallback,
  PermissionQuestion,
  SessionCatalog,
  SessionSetup,
  UserAnswer,
  UserPort,
} from "./agent-ports.ts";
export {
  type AgentPortOptions,
  agentPort,
  type HookModel,
  type HookSpending,
  modelPort,
} from "./hook-ports/model-ports.ts";
export { mcpConnector } from "./mcp/connect-servers.ts";
export type { McpServers, ServerConnectOptions, ServerConnector } from "./mcp/mcp-servers.ts";
export { runAgent } from "./run-agent.ts";
export type { SubagentInput } from "./subagents/subagent-file.ts";
export type { JsonSchema } from "./tools/json-schema.ts";
export { type BoundedOptions, type BoundedRun, runBounded } from "./tools/shell/run-bounded.ts";
export type { Tool, ToolContent, ToolContext, ToolResult } from "./tools/tool.ts";
export type { WebFetchOptions } from "./tools/web/fetch-page.ts";
