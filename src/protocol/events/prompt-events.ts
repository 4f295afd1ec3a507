import { type EventTable, hookTypes, refusable } from "./event-row.ts";

/** What the user types, and the text that the user sees. */
export const promptEvents = {
  UserPromptExpansion: {
    ...refusable,
    fires: "a typed custom command, skill or MCP prompt is about to be expanded; before UserPromptSubmit",
    carries: ["permission_mode"],
    fields: {
      expansion_type: { is: "text", of: ["slash_command", "mcp_prompt"] },
      command_name: { is: "text" },
      command_args: { is: "text" },
      command_source: { is: "text", optional: true },
      /** As typed. */
      prompt: { is: "text" },
    },
    matchesOn: { field: "command_name" },
    onText: "context",
    onBlock: "refuse",
    answers: ["additionalContext", "suppressOriginalPrompt"],
    types: hookTypes.all,
    blocks: "nothing is expanded or sent",
    onFailure: "guard",
    onStop: "refuse",
    app: { method: "onPromptExpansion", answers: ["block", "context", "halt"] },
  },
  UserPromptSubmit: {
    ...refusable,
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
  },
  MessageDisplay: {
    fires: "a batch of complete lines of assistant text is ready to be shown; main thread only",
    fields: {
      /** UUIDs of Claude Code, not ids of the API. */
      turn_id: { is: "text" },
      message_id: { is: "text" },
      index: { is: "number" },
      /** True once per message. */
      final: { is: "flag" },
      delta: { is: "text" },
    },
    onOther: null,
    answers: ["displayContent"],
    timeoutMs: 10_000,
    app: { method: "onMessageDisplay", answers: ["display"], deadlineMs: 5_000, frequent: true },
  },
} as const satisfies EventTable;
