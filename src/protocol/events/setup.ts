import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface SetupInput {
  readonly trigger: "init" | "maintenance";
}

const app = { method: "onSetup", answers: ["context"] } as const;

export const setup: CatalogRow<"Setup", SetupInput, typeof app> = {
  ...usual,
  name: "Setup",
  phase: "session",
  since: "2.1.197",
  fires: "on request only (init and maintenance runs), before SessionStart",
  fields: {
    trigger: { is: "text", of: ["init", "maintenance"] },
  },
  matchesOn: { field: "trigger" },
  onText: "context",
  answers: ["additionalContext"],
  types: hookTypes.local,
  special: { envFile: true },
  app,
};
