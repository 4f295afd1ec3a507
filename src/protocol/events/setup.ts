import { type CatalogRow, types } from "../row.ts";

export interface SetupInput {
  readonly trigger: "init" | "maintenance";
}

const app = { method: "onSetup", answers: ["context"] } as const;

export const setup: CatalogRow<"Setup", SetupInput, typeof app> = {
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
  app,
};
