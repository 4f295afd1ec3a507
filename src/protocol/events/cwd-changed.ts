import { type CatalogRow, usual } from "./event-row.ts";

export interface CwdChangedInput {
  readonly old_cwd: string;
  readonly new_cwd: string;
}

const app = { method: "onCwdChanged", answers: ["watchPaths"] } as const;

export const cwdChanged: CatalogRow<"CwdChanged", CwdChangedInput, typeof app> = {
  ...usual,
  name: "CwdChanged",
  phase: "settings",
  since: "2.1.197",
  fires: "the working directory changed; before that call's PostToolUse",
  fields: {
    old_cwd: { is: "text" },
    new_cwd: { is: "text" },
  },
  answers: ["watchPaths"],
  awaited: false,
  special: { envFile: true },
  app,
};
