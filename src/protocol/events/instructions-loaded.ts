import { type CatalogRow, usual } from "./event-row.ts";

export interface InstructionsLoadedInput {
  readonly file_path: string;
  readonly memory_type: "User" | "Project" | "Local" | "Managed";
  readonly load_reason: "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact";
  readonly globs?: readonly string[];
  readonly trigger_file_path?: string;
  readonly parent_file_path?: string;
}

const app = { method: "onInstructionsLoaded", answers: [] } as const;

export const instructionsLoaded: CatalogRow<"InstructionsLoaded", InstructionsLoadedInput, typeof app> = {
  ...usual,
  name: "InstructionsLoaded",
  phase: "session",
  since: "2.1.197",
  fires: "an instruction file enters the context; in no fixed order relative to SessionStart and UserPromptSubmit",
  fields: {
    file_path: { is: "text" },
    memory_type: { is: "text", of: ["User", "Project", "Local", "Managed"] },
    load_reason: { is: "text", of: ["session_start", "nested_traversal", "path_glob_match", "include", "compact"] },
    globs: { is: "list", of: { is: "text" }, optional: true },
    trigger_file_path: { is: "text", optional: true },
    parent_file_path: { is: "text", optional: true },
  },
  matchesOn: { field: "load_reason" },
  onOther: null,
  awaited: false,
  app,
};
