import { type CatalogRow, usual } from "./event-row.ts";

export interface MessageDisplayInput {
  /** UUIDs of the client, not ids of the API. */
  readonly turn_id: string;
  readonly message_id: string;
  readonly index: number;
  /** True once per message. */
  readonly final: boolean;
  readonly delta: string;
}

const app = { method: "onMessageDisplay", answers: ["display"], deadlineMs: 5_000, frequent: true } as const;

export const messageDisplay: CatalogRow<"MessageDisplay", MessageDisplayInput, typeof app> = {
  ...usual,
  name: "MessageDisplay",
  phase: "prompt",
  since: "2.1.197",
  fires: "a batch of complete lines of assistant text is ready to be shown; main thread only",
  fields: {
    turn_id: { is: "text" },
    message_id: { is: "text" },
    index: { is: "number" },
    final: { is: "flag" },
    delta: { is: "text" },
  },
  onOther: null,
  answers: ["displayContent"],
  timeoutMs: 10_000,
  app,
};
