import type { RowFacts } from "./event-row.ts";

export const configChange = {
  name: "ConfigChange",
  phase: "settings",
  fires: "a settings file or skill was changed by another process; not by the host's own writes",
  fields: {
    source: {
      is: "text",
      of: ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
    },
    file_path: { is: "text", optional: true },
  },
  matchesOn: { field: "source" },
  onBlock: "refuse",
  onOther: null,
  decisions: ["deny"],
  blockWord: true,
  blocks: "the old content stays in effect",
  onFailure: "guard",
  special: {
    // Nobody may keep a policy from taking effect.
    blocksWhen: ({ source }) => source !== "policy_settings",
  },
  app: { method: "onConfigChange", answers: ["block"] },
} as const satisfies RowFacts;
