import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  reason: {
    is: "text",
    of: ["other", "clear", "prompt_input_exit", "logout", "resume", "bypass_permissions_disabled"],
    open: true,
  },
} as const;

const app = { method: "onSessionEnd", answers: [], deadlineMs: 1_000 } as const;

export const sessionEnd: CatalogRow<"SessionEnd", typeof fields, typeof app> = {
  ...usual,
  name: "SessionEnd",
  phase: "session",
  fires: "the session ends",
  fields,
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
  app,
};
