import { modelSwitchFields } from "./common-fields.ts";
import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  ...modelSwitchFields,
  source: { is: "text", of: ["command", "picker", "sdk", "auto", "resume"], open: true },
} as const;

const app = { method: "onPostModelSwitch", answers: ["context"] } as const;

export const postModelSwitch: CatalogRow<"PostModelSwitch", typeof fields, typeof app> = {
  ...usual,
  name: "PostModelSwitch",
  phase: "context",
  since: "declared",
  fires: "after every lasting switch, including fallback and resume",
  fields,
  matchesOn: { field: "to_model" },
  onText: "context",
  answers: ["additionalContext"],
  timeoutMs: 30_000,
  app,
};
