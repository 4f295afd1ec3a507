import type { RowFacts } from "./event-row.ts";

export const sessionEnd = {
  name: "SessionEnd",
  phase: "session",
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
} as const satisfies RowFacts;
