import { hookTypes, type RowFacts } from "./event-row.ts";

export const userPromptSubmit = {
  name: "UserPromptSubmit",
  phase: "prompt",
  fires: "a prompt is submitted, including wake-ups by background hooks; not for built-in commands",
  carries: ["permission_mode"],
  fields: {
    /** As typed: `/name args` for an expanded one. */
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
  app: {
    method: "onPrompt",
    answers: ["block", "context", "sessionTitle", "halt"],
    deadlineMs: 20_000,
    revives: true,
  },
} as const satisfies RowFacts;
