import type { FieldOf } from "./field.ts";

/** Work that goes on while an agent's turn ends. */
export interface BackgroundTask {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly description: string;
  readonly command?: string;
  readonly agent_type?: string;
}

export interface SessionCron {
  readonly id: string;
  readonly schedule: string;
  readonly recurring: boolean;
  readonly prompt: string;
}

export const backgroundTasksField: FieldOf<readonly BackgroundTask[]> & { readonly optional?: never } = {
  is: "list",
  of: {
    is: "object",
    fields: {
      id: { is: "text" },
      type: { is: "text" },
      status: { is: "text" },
      description: { is: "text" },
      command: { is: "text", optional: true },
      agent_type: { is: "text", optional: true },
    },
  },
};

export const sessionCronsField: FieldOf<readonly SessionCron[]> & { readonly optional?: never } = {
  is: "list",
  of: {
    is: "object",
    fields: { id: { is: "text" }, schedule: { is: "text" }, recurring: { is: "flag" }, prompt: { is: "text" } },
  },
};
