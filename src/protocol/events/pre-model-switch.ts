import { modelSwitchFields } from "./common-fields.ts";
import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  ...modelSwitchFields,
  source: { is: "text", of: ["command", "picker", "sdk"], open: true },
} as const;

const app = { method: "onPreModelSwitch", answers: ["allow", "ask", "deny"] } as const;

export const preModelSwitch: CatalogRow<"PreModelSwitch", typeof fields, typeof app> = {
  ...usual,
  name: "PreModelSwitch",
  phase: "context",
  since: "declared",
  fires: "before a switch that a user or client requested; not before automatic ones",
  fields,
  matchesOn: { field: "to_model" },
  onBlock: "refuse",
  answers: ["permissionDecision"],
  decisions: ["allow", "ask", "deny"],
  blockWord: true,
  timeoutMs: 30_000,
  blocks: "the model stays",
  onFailure: "guard",
  special: { timeoutDenies: true },
  app,
};
