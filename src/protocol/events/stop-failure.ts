import type { RowFacts } from "./event-row.ts";

export const stopFailure = {
  name: "StopFailure",
  phase: "turn",
  fires: "instead of Stop, after an API error",
  carries: ["effort"],
  fields: {
    error: {
      is: "text",
      of: [
        "unknown",
        "invalid_request",
        "billing_error",
        "authentication_failed",
        "model_not_found",
        "rate_limit",
        "server_error",
        "max_output_tokens",
      ],
      open: true,
    },
    error_details: { is: "text", optional: true },
    /** The error text. */
    last_assistant_message: { is: "text" },
  },
  matchesOn: { field: "error", narrow: true },
  onOther: null,
  awaited: "detached",
  app: { method: "onStopFailure", answers: [] },
} as const satisfies RowFacts;
