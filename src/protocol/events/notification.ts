import type { RowFacts } from "./event-row.ts";

export const notification = {
  name: "Notification",
  phase: "mcp",
  fires: "the agent wants the user's attention",
  fields: {
    message: { is: "text" },
    notification_type: {
      is: "text",
      of: ["permission_prompt", "idle_prompt", "elicitation_response", "auth_success"],
      open: true,
    },
    title: { is: "text", optional: true },
  },
  matchesOn: { field: "notification_type" },
  onOther: null,
  answers: ["additionalContext"],
  awaited: false,
  app: { method: "onNotification", answers: [] },
} as const satisfies RowFacts;
