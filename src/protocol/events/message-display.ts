import { type CatalogRow, types } from "../row.ts";

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
  name: "MessageDisplay",
  phase: "prompt",
  since: "2.1.197",
  fires: "a batch of complete lines of assistant text is ready to be shown; main thread only",
  carries: [],
  fields: {
    turn_id: { is: "text" },
    message_id: { is: "text" },
    index: { is: "number" },
    final: { is: "flag" },
    delta: { is: "text" },
  },
  matchesOn: null,
  onText: null,
  onBlock: null,
  onOther: null,
  answers: ["displayContent"],
  decisions: [],
  blockWord: false,
  types: types.io,
  timeoutMs: 10_000,
  blocks: null,
  awaited: true,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: {},
  app,
};
