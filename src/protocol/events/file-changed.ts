import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  file_path: { is: "text" },
  event: { is: "text", of: ["add", "change", "unlink"] },
} as const;

const app = { method: "onFileChanged", answers: ["watchPaths"] } as const;

export const fileChanged: CatalogRow<"FileChanged", typeof fields, typeof app> = {
  ...usual,
  name: "FileChanged",
  phase: "settings",
  fires: "a watched file was added, changed or removed by any process",
  fields,
  matchesOn: { field: "file_path", narrow: true, part: "basename" },
  answers: ["watchPaths"],
  awaited: false,
  special: { envFile: true },
  app,
};
