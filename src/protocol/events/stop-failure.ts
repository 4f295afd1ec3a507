import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
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
} as const;

const app = { method: "onStopFailure", answers: [] } as const;

export const stopFailure: CatalogRow<"StopFailure", typeof fields, typeof app> = {
  ...usual,
  name: "StopFailure",
  phase: "turn",
  fires: "instead of Stop, after an API error",
  carries: ["effort"],
  fields,
  matchesOn: { field: "error", narrow: true },
  onOther: null,
  awaited: "detached",
  app,
};
