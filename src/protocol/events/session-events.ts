import { type EventTable, hookTypes } from "./event-row.ts";

/** A session begins, loads its instructions, and ends. */
export const sessionEvents = {
  Setup: {
    fires: "on request only (init and maintenance runs), before SessionStart",
    fields: {
      trigger: { is: "text", of: ["init", "maintenance"] },
    },
    matchesOn: { field: "trigger" },
    onText: "context",
    answers: ["additionalContext"],
    types: hookTypes.local,
    special: { envFile: true },
    app: { method: "onSetup", answers: ["context"] },
  },
  SessionStart: {
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
  },
  InstructionsLoaded: {
    fires: "an instruction file enters the context; in no fixed order relative to SessionStart and UserPromptSubmit",
    fields: {
      file_path: { is: "text" },
      memory_type: { is: "text", of: ["User", "Project", "Local", "Managed"] },
      load_reason: { is: "text", of: ["session_start", "nested_traversal", "path_glob_match", "include", "compact"] },
      globs: { is: "list", of: { is: "text" }, optional: true },
      trigger_file_path: { is: "text", optional: true },
      parent_file_path: { is: "text", optional: true },
    },
    matchesOn: { field: "load_reason" },
    onOther: null,
    awaited: false,
    app: { method: "onInstructionsLoaded", answers: [] },
  },
  SessionEnd: {
    fires: "the session ends",
    fields: {
      reason: {
        is: "text",
        of: ["other", "clear", "prompt_input_exit", "logout", "resume", "bypass_permissions_disabled"],
        open: true,
      },
    },
    matchesOn: { field: "reason" },
    special: {
      endsSession: true,
      budget: {
        ms: 1_500,
        mostMs: 60_000,
        variable: "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS",
        graceMs: 250,
      },
    },
    app: { method: "onSessionEnd", answers: [], deadlineMs: 1_000 },
  },
} as const satisfies EventTable;
