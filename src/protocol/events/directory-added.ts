import { type CatalogRow, types } from "../row.ts";

export interface DirectoryAddedInput {
  readonly directory: string;
  readonly source: "slash_command" | "register_repo_root";
}

const app = { method: "onDirectoryAdded", answers: [] } as const;

export const directoryAdded: CatalogRow<"DirectoryAdded", DirectoryAddedInput, typeof app> = {
  name: "DirectoryAdded",
  phase: "settings",
  since: "declared",
  fires: "a working folder was added during a session; not at start-up",
  carries: [],
  fields: {
    directory: { is: "text" },
    source: { is: "text", of: ["slash_command", "register_repo_root"], open: true },
  },
  matchesOn: { field: "source" },
  onText: null,
  onBlock: null,
  onOther: "report",
  answers: [],
  decisions: [],
  blockWord: false,
  types: types.io,
  timeoutMs: null,
  blocks: null,
  awaited: false,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: { messageIsContext: ({ source }) => source === "slash_command" },
  app,
};
