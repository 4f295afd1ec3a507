import { type CatalogRow, types } from "../row.ts";

export interface FileChangedInput {
  readonly file_path: string;
  readonly event: "add" | "change" | "unlink";
}

const app = { method: "onFileChanged", answers: ["watchPaths"] } as const;

export const fileChanged: CatalogRow<"FileChanged", FileChangedInput, typeof app> = {
  name: "FileChanged",
  phase: "settings",
  since: "2.1.197",
  fires: "a watched file was added, changed or removed, whoever did it",
  carries: [],
  fields: {
    file_path: { is: "text" },
    event: { is: "text", of: ["add", "change", "unlink"] },
  },
  matchesOn: { field: "file_path", narrow: true, part: "basename" },
  onText: null,
  onBlock: null,
  onOther: "report",
  answers: ["watchPaths"],
  decisions: [],
  blockWord: false,
  types: types.io,
  timeoutMs: null,
  blocks: null,
  awaited: false,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: { envFile: true },
  app,
};
