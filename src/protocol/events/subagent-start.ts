import { type CatalogRow, usual } from "./event-row.ts";

const fields = {
  agent_id: { is: "text" },
  agent_type: { is: "text" },
} as const;

const app = { method: "onSubagentStart", answers: ["context"] } as const;

export const subagentStart: CatalogRow<"SubagentStart", typeof fields, typeof app> = {
  ...usual,
  name: "SubagentStart",
  phase: "agent",
  fires: "a subagent begins",
  fields,
  matchesOn: { field: "agent_type" },
  answers: ["additionalContext"],
  app,
};
