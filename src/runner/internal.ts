/** Entry point `hookline/runner`: runs any coding agent as a child process and returns its answer as data. Unstable until 1.0. */
export {
  asContext,
  asResultObject,
  asText,
  asToolResult,
  type Reinjection,
  type SessionResultObject,
} from "./result-forms.ts";
export { type RunnerPorts, runSession } from "./run-session.ts";
export { type RunSessionsOptions, runSessions } from "./run-sessions.ts";
export type { AgentName, SessionCall, SessionEvent } from "./session-call.ts";
export { exitStatusOf, type GoOn, type SessionResult, type SessionWarning } from "./session-result.ts";
