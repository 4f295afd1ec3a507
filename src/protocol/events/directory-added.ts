import type { RowFacts } from "./event-row.ts";

export const directoryAdded = {
  name: "DirectoryAdded",
  phase: "settings",
  since: "declared",
  fires: "a working directory was added during a session; not at startup",
  fields: {
    directory: { is: "text" },
    source: { is: "text", of: ["slash_command", "register_repo_root"], open: true },
  },
  matchesOn: { field: "source" },
  awaited: false,
  special: { messageIsContext: ({ source }) => source === "slash_command" },
  app: { method: "onDirectoryAdded", answers: [] },
} as const satisfies RowFacts;
