import type { RowFacts } from "./event-row.ts";

export const messageDisplay = {
  name: "MessageDisplay",
  phase: "prompt",
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
} as const satisfies RowFacts;
