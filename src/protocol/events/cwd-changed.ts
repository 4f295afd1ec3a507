import { type CatalogRow, types } from "../row.ts";

export interface CwdChangedInput {
  readonly old_cwd: string;
  readonly new_cwd: string;
}

const app = { method: "onCwdChanged", answers: ["watchPaths"] } as const;

export const cwdChanged: CatalogRow<"CwdChanged", CwdChangedInput, typeof app> = {
  name: "CwdChanged",
  phase: "settings",
  since: "2.1.197",
  fires: "the working folder changed; before that call's PostToolUse",
  carries: [],
  fields: {
    old_cwd: { is: "text" },
    new_cwd: { is: "text" },
  },
  matchesOn: null,
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
