/** Entry point `hookline/agent`: the reference agent. Unstable until 1.0. */
export type { AgentResult, Denial, ModelSpending } from "../protocol/internal.ts";
export type { AgentEvent, McpState, TaskIdentity, TaskStep, TaskUsage } from "./agent-event.ts";
export type { RunAgentOptions } from "./agent-options.ts";
export type { FrontIo, SignalName } from "./front/front-io.ts";
export { type HeadlessOptions, runHeadless } from "./front/headless.ts";
export { runInteractive } from "./front/interactive.ts";
export type { HookModel, HookSpending } from "./hook-ports/hook-model.ts";
export { type AgentPortOptions, agentPort, modelPort } from "./hook-ports/model-ports.ts";
export { mcpConnector } from "./mcp/connect-servers.ts";
export type { ServerConnector, Servers, ServerWishes } from "./mcp/mcp-servers.ts";
export { runAgent } from "./run-agent.ts";
export type { AgentControl, HookCallback, SessionCatalog, SessionWishes } from "./session/session-control.ts";
export type { GivenAgent } from "./subagents/subagent-definitions.ts";
export { type BoundedOptions, type BoundedRun, runBounded } from "./tools/shell/run-bounded.ts";
export type {
  ElicitationAnswer,
  ElicitationForm,
  PermissionAnswer,
  PermissionQuestion,
  Person,
} from "./turn/ask-user.ts";
