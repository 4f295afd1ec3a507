import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  message: { is: "text" },
  notification_type: {
    is: "text",
    of: ["permission_prompt", "idle_prompt", "elicitation_response", "auth_success"],
    open: true,
  },
  title: { is: "text", optional: true },
} as const;

const app = { method: "onNotification", answers: [] } as const;

export const notification: CatalogRow<"Notification", typeof fields, typeof app> = {
  ...usual,
  name: "Notification",
  phase: "mcp",
  fires: "the agent wants the user's attention",
  fields,
  matchesOn: { field: "notification_type" },
  onOther: null,
  answers: ["additionalContext"],
  awaited: false,
  app,
};
