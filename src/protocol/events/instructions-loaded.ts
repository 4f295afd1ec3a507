import type { RowFacts } from "./event-row.ts";

export const instructionsLoaded = {
  name: "InstructionsLoaded",
  phase: "session",
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
  app: { method: "onInstructionsLoaded", answers: [] },
} as const satisfies RowFacts;
