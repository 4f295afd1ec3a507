import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface UserPromptSubmitInput {
  /** As typed: `/name args` for an expanded one. */
  readonly prompt: string;
  readonly source?: string;
  readonly session_title?: string;
}

const app = {
  method: "onPrompt",
  answers: ["block", "context", "sessionTitle", "halt"],
  deadlineMs: 20_000,
  revives: true,
} as const;

export const userPromptSubmit: CatalogRow<"UserPromptSubmit", UserPromptSubmitInput, typeof app> = {
  ...usual,
  name: "UserPromptSubmit",
  phase: "prompt",
  since: "2.1.197",
  fires: "a prompt is submitted, including wake-ups by background hooks; not for built-in commands",
  carries: ["permission_mode"],
  fields: {
    prompt: { is: "text" },
    source: {
      is: "text",
      of: ["user", "sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event"],
      open: true,
      optional: true,
      newer: true,
    },
    session_title: { is: "text", optional: true, newer: true },
  },
  onText: "context",
  onBlock: "refuse",
  answers: ["additionalContext", "sessionTitle", "suppressOriginalPrompt"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  timeoutMs: 30_000,
  blocks: "the prompt is dropped and never sent",
  onFailure: "guard",
  onStop: "refuse",
  special: { startsTurn: true },
  app,
};
