import { type EventRow, types } from "../row.ts";

export interface CwdChangedInput {
  readonly old_cwd: string;
  readonly new_cwd: string;
}

export const cwdChanged: EventRow<"CwdChanged", CwdChangedInput> = {
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
};
