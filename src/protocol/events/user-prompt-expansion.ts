import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

const fields = {
  expansion_type: { is: "text", of: ["slash_command", "mcp_prompt"] },
  command_name: { is: "text" },
  command_args: { is: "text" },
  command_source: { is: "text", optional: true },
  /** As typed. */
  prompt: { is: "text" },
} as const;

const app = { method: "onPromptExpansion", answers: ["block", "context", "halt"] } as const;

export const userPromptExpansion: CatalogRow<"UserPromptExpansion", typeof fields, typeof app> = {
  ...usual,
  name: "UserPromptExpansion",
  phase: "prompt",
  fires: "a typed custom command, skill or MCP prompt is about to be expanded; before UserPromptSubmit",
  carries: ["permission_mode"],
  fields,
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
  app,
};
