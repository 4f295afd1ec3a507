import { type CatalogRow, usual } from "./event-row.ts";

export interface SessionEndInput {
  readonly reason: "other" | "clear" | "prompt_input_exit" | "logout" | "resume" | "bypass_permissions_disabled";
}

const app = { method: "onSessionEnd", answers: [], deadlineMs: 1_000 } as const;

export const sessionEnd: CatalogRow<"SessionEnd", SessionEndInput, typeof app> = {
  ...usual,
  name: "SessionEnd",
  phase: "session",
  since: "2.1.197",
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
  app,
};
