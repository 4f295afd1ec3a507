/** What the command line uses of the runner: the public functions and the forms in which `ask` prints a result. */
export { asContext, asResultObject, asText, asToolResult, type ResultForm } from "./result-forms.ts";
export { runSession } from "./run-session.ts";
export { runSessions } from "./run-sessions.ts";
export type { AgentProgram, SessionCall } from "./session-call.ts";
export { exitStatusOf, type SessionResult } from "./session-result.ts";
