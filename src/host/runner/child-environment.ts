type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment without the identity of a calling session: the child is a session of its own and writes into no other's transcript.
 * `HOOKLINE_DEPTH` and `HOOKLINE_RUN` stay, so that the recursion guard and the sweep of a run still reach it.
 */
export function childEnvironment(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !identity.has(name) && !name.startsWith("HOOK_")));
}

const identity: ReadonlySet<string> = new Set([
  "CLAUDECODE",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PROJECT_DIR",
  "AI_AGENT",
]);
