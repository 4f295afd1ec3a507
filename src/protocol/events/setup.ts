import { type EventRow, types } from "../row.ts";

export interface SetupInput {
  readonly trigger: "init" | "maintenance";
}

export const setup: EventRow<"Setup", SetupInput> = {
  name: "Setup",
  phase: "session",
  since: "2.1.197",
  fires: "on request only (init and maintenance runs), before SessionStart",
  carries: [],
  fields: {
    trigger: { is: "text", of: ["init", "maintenance"] },
  },
  matchesOn: { field: "trigger" },
  onText: "context",
  onBlock: null,
  onOther: "report",
  answers: ["additionalContext"],
  decisions: [],
  blockWord: false,
  types: types.local,
  timeoutMs: null,
  blocks: null,
  awaited: true,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: { envFile: true },
};
