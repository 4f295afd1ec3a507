import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

const fields = {
  trigger: { is: "text", of: ["init", "maintenance"] },
} as const;

const app = { method: "onSetup", answers: ["context"] } as const;

export const setup: CatalogRow<"Setup", typeof fields, typeof app> = {
  ...usual,
  name: "Setup",
  phase: "session",
  fires: "on request only (init and maintenance runs), before SessionStart",
  fields,
  matchesOn: { field: "trigger" },
  onText: "context",
  answers: ["additionalContext"],
  types: hookTypes.local,
  special: { envFile: true },
  app,
};
