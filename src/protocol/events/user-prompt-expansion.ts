import { hookTypes, type RowFacts } from "./event-row.ts";

export const userPromptExpansion = {
  name: "UserPromptExpansion",
  phase: "prompt",
  fires: "a typed custom command, skill or MCP prompt is about to be expanded; before UserPromptSubmit",
  carries: ["permission_mode"],
  fields: {
    expansion_type: { is: "text", of: ["slash_command", "mcp_prompt"] },
    command_name: { is: "text" },
    command_args: { is: "text" },
    command_source: { is: "text", optional: true },
    /** As typed. */
    prompt: { is: "text" },
  },
  matchesOn: { field: "command_name" },
  onText: "context",
  onBlock: "refuse",
  answers: ["additionalContext", "suppressOriginalPrompt"],
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "nothing is expanded or sent",
  onFailure: "guard",
  onStop: "refuse",
  app: { method: "onPromptExpansion", answers: ["block", "context", "halt"] },
} as const satisfies RowFacts;
