/** Entry point `hookline/runner`: runs any coding agent as a child process and returns its answer as data. Unstable until 1.0. */
export { type RunnerPorts, runSession } from "./run-session.ts";
export { type RunSessionsOptions, runSessions } from "./run-sessions.ts";
export type { AgentProgram, SessionCall, SessionEvent } from "./session-call.ts";
export type { ResumeCommands, SessionResult, SessionWarning } from "./session-result.ts";
