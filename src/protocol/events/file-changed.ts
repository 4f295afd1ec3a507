import { type CatalogRow, usual } from "./event-row.ts";

export interface FileChangedInput {
  readonly file_path: string;
  readonly event: "add" | "change" | "unlink";
}

const app = { method: "onFileChanged", answers: ["watchPaths"] } as const;

export const fileChanged: CatalogRow<"FileChanged", FileChangedInput, typeof app> = {
  ...usual,
  name: "FileChanged",
  phase: "settings",
  since: "2.1.197",
  fires: "a watched file was added, changed or removed by any process",
  fields: {
    file_path: { is: "text" },
    event: { is: "text", of: ["add", "change", "unlink"] },
  },
  matchesOn: { field: "file_path", narrow: true, part: "basename" },
  answers: ["watchPaths"],
  awaited: false,
  special: { envFile: true },
  app,
};
