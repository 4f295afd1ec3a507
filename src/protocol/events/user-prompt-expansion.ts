import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface UserPromptExpansionInput {
  readonly expansion_type: "slash_command" | "mcp_prompt";
  readonly command_name: string;
  readonly command_args: string;
  readonly command_source?: string;
  /** As typed. */
  readonly prompt: string;
}

const app = { method: "onPromptExpansion", answers: ["block", "context", "halt"] } as const;

export const userPromptExpansion: CatalogRow<"UserPromptExpansion", UserPromptExpansionInput, typeof app> = {
  ...usual,
  name: "UserPromptExpansion",
  phase: "prompt",
  since: "2.1.197",
  fires: "a typed custom command, skill or MCP prompt is about to be expanded; before UserPromptSubmit",
  carries: ["permission_mode"],
  fields: {
    expansion_type: { is: "text", of: ["slash_command", "mcp_prompt"] },
    command_name: { is: "text" },
    command_args: { is: "text" },
    command_source: { is: "text", optional: true },
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
  app,
};
