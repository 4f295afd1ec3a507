import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface SettledCall {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  /** What the model sees: text or content blocks. */
  readonly tool_response?: unknown;
}

export interface PostToolBatchInput {
  readonly tool_calls: readonly SettledCall[];
}

const app = { method: "onToolBatch", answers: ["block", "context", "halt"] } as const;

export const postToolBatch: CatalogRow<"PostToolBatch", PostToolBatchInput, typeof app> = {
  ...usual,
  name: "PostToolBatch",
  phase: "tool",
  since: "2.1.197",
  fires: "all calls of one model turn are finished, including denied and invalid ones; inside subagents too",
  carries: ["permission_mode", "effort", "agent"],
  fields: {
    tool_calls: {
      is: "list",
      of: {
        is: "object",
        fields: {
          tool_name: { is: "text" },
          tool_input: { is: "anything" },
          tool_use_id: { is: "text" },
          tool_response: { is: "anything", optional: true },
        },
      },
    },
  },
  onBlock: "stop",
  answers: ["additionalContext"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "no further model call",
  onFailure: "guard",
  onStop: "refuse",
  app,
};
