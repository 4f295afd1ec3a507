import { modelSwitchFields } from "./common-fields.ts";
import type { RowFacts } from "./event-row.ts";

export const preModelSwitch = {
  name: "PreModelSwitch",
  phase: "context",
  since: "declared",
  fires: "before a switch that a user or client requested; not before automatic ones",
  fields: {
    ...modelSwitchFields,
    source: { is: "text", of: ["command", "picker", "sdk"], open: true },
  },
  matchesOn: { field: "to_model" },
  onBlock: "refuse",
  answers: ["permissionDecision"],
  decisions: ["allow", "ask", "deny"],
  blockWord: true,
  timeoutMs: 30_000,
  blocks: "the model stays",
  onFailure: "guard",
  special: { timeoutDenies: true },
  app: { method: "onPreModelSwitch", answers: ["allow", "ask", "deny"] },
} as const satisfies RowFacts;
