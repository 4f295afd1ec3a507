import { type CatalogRow, usual } from "./event-row.ts";

export interface StopFailureInput {
  readonly error: string;
  readonly error_details?: string;
  /** The error text. */
  readonly last_assistant_message: string;
}

const app = { method: "onStopFailure", answers: [] } as const;

export const stopFailure: CatalogRow<"StopFailure", StopFailureInput, typeof app> = {
  ...usual,
  name: "StopFailure",
  phase: "turn",
  since: "2.1.197",
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
    last_assistant_message: { is: "text" },
  },
  matchesOn: { field: "error", narrow: true },
  onOther: null,
  awaited: "detached",
  app,
};
