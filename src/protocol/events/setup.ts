import { hookTypes, type RowFacts } from "./event-row.ts";

export const setup = {
  name: "Setup",
  phase: "session",
  fires: "on request only (init and maintenance runs), before SessionStart",
  fields: {
    trigger: { is: "text", of: ["init", "maintenance"] },
  },
  matchesOn: { field: "trigger" },
  onText: "context",
  answers: ["additionalContext"],
  types: hookTypes.local,
  special: { envFile: true },
  app: { method: "onSetup", answers: ["context"] },
} as const satisfies RowFacts;
