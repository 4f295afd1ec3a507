/** What the command line uses of the agent. */
export type { AgentResult } from "../protocol/internal.ts";
export type { AgentEvent } from "./agent-event.ts";
export type { RunAgentOptions } from "./agent-options.ts";
export type { PermissionQuestion, UserPort } from "./agent-ports.ts";
export { type HeadlessOptions, runHeadless } from "./front/headless.ts";
export { runInteractive } from "./front/interactive.ts";
export { runAgent } from "./run-agent.ts";
export type { SubagentInput } from "./subagents/subagent-file.ts";
