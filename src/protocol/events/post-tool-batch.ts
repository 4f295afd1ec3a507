import { hookTypes, type RowFacts } from "./event-row.ts";

export const postToolBatch = {
  name: "PostToolBatch",
  phase: "tool",
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
          /** What the model sees: text or content blocks. */
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
  app: { method: "onToolBatch", answers: ["block", "context", "halt"] },
} as const satisfies RowFacts;
