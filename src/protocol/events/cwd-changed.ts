import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  old_cwd: { is: "text" },
  new_cwd: { is: "text" },
} as const;

const app = { method: "onCwdChanged", answers: ["watchPaths"] } as const;

export const cwdChanged: CatalogRow<"CwdChanged", typeof fields, typeof app> = {
  ...usual,
  name: "CwdChanged",
  phase: "settings",
  fires: "the working directory changed; before that call's PostToolUse",
  fields,
  answers: ["watchPaths"],
  awaited: false,
  special: { envFile: true },
  app,
};
