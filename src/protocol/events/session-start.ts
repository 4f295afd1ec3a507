import { hookTypes, type RowFacts } from "./event-row.ts";

export const sessionStart = {
  name: "SessionStart",
  phase: "session",
  fires: "a session begins, is resumed, cleared or compacted; before the prompt is processed",
  fields: {
    /** Newer versions of Claude Code say `fork`; the measured one reports a fork as `resume` with the original session's id and path. */
    source: { is: "text", of: ["startup", "resume", "clear", "compact", "fork"] },
    model: { is: "text", optional: true },
    agent_type: { is: "text", optional: true, newer: true },
    session_title: { is: "text", optional: true, newer: true },
    seconds_since_last_response: { is: "number", optional: true, newer: true },
    context_tokens: { is: "number", optional: true, newer: true },
    estimated_cache_write_usd: { is: "number", optional: true, newer: true },
    prompt_cache_likely_expired: { is: "flag", optional: true, newer: true },
  },
  matchesOn: { field: "source" },
  onText: "context",
  answers: ["additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
  types: hookTypes.local,
  special: {
    envFile: true,
    // A title is for a session that begins or comes back, not for one that was cleared or compacted.
    honouredWhen: { sessionTitle: ({ source }) => source === "startup" || source === "resume" || source === "fork" },
  },
  app: {
    method: "onSessionStart",
    answers: ["context", "watchPaths", "initialUserMessage", "sessionTitle"],
    revives: true,
  },
} as const satisfies RowFacts;
