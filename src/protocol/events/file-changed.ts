import type { RowFacts } from "./event-row.ts";

export const fileChanged = {
  name: "FileChanged",
  phase: "settings",
  fires: "a watched file was added, changed or removed by any process",
  fields: {
    file_path: { is: "text" },
    event: { is: "text", of: ["add", "change", "unlink"] },
  },
  matchesOn: { field: "file_path", narrow: true, part: "basename" },
  answers: ["watchPaths"],
  awaited: false,
  special: { envFile: true },
  app: { method: "onFileChanged", answers: ["watchPaths"] },
} as const satisfies RowFacts;
