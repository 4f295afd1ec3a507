import { modelSwitchFields } from "./common-fields.ts";
import type { RowFacts } from "./event-row.ts";

export const postModelSwitch = {
  name: "PostModelSwitch",
  phase: "context",
  since: "declared",
  fires: "after every lasting switch, including fallback and resume",
  fields: {
    ...modelSwitchFields,
    source: { is: "text", of: ["command", "picker", "sdk", "auto", "resume"], open: true },
  },
  matchesOn: { field: "to_model" },
  onText: "context",
  answers: ["additionalContext"],
  timeoutMs: 30_000,
  app: { method: "onPostModelSwitch", answers: ["context"] },
} as const satisfies RowFacts;
