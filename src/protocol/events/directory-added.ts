import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  directory: { is: "text" },
  source: { is: "text", of: ["slash_command", "register_repo_root"], open: true },
} as const;

const app = { method: "onDirectoryAdded", answers: [] } as const;

export const directoryAdded: CatalogRow<"DirectoryAdded", typeof fields, typeof app> = {
  ...usual,
  name: "DirectoryAdded",
  phase: "settings",
  since: "declared",
  fires: "a working directory was added during a session; not at startup",
  fields,
  matchesOn: { field: "source" },
  awaited: false,
  special: { messageIsContext: ({ source }) => source === "slash_command" },
  app,
};
