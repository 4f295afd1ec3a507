import { type CatalogRow, usual } from "./event-row.ts";

export interface ConfigChangeInput {
  readonly source: "user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills";
  readonly file_path?: string;
}

const app = { method: "onConfigChange", answers: ["block"] } as const;

export const configChange: CatalogRow<"ConfigChange", ConfigChangeInput, typeof app> = {
  ...usual,
  name: "ConfigChange",
  phase: "settings",
  since: "2.1.197",
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
  app,
};
