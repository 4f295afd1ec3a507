import { type CatalogRow, usual } from "./event-row.ts";

export interface NotificationInput {
  readonly message: string;
  readonly notification_type: string;
  readonly title?: string;
}

const app = { method: "onNotification", answers: [] } as const;

export const notification: CatalogRow<"Notification", NotificationInput, typeof app> = {
  ...usual,
  name: "Notification",
  phase: "mcp",
  since: "2.1.197",
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
  app,
};
