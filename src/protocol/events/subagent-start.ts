import { type CatalogRow, usual } from "./event-row.ts";

export interface SubagentStartInput {
  readonly agent_id: string;
  readonly agent_type: string;
}

const app = { method: "onSubagentStart", answers: ["context"] } as const;

export const subagentStart: CatalogRow<"SubagentStart", SubagentStartInput, typeof app> = {
  ...usual,
  name: "SubagentStart",
  phase: "agent",
  since: "2.1.197",
  fires: "a subagent begins",
  fields: {
    agent_id: { is: "text" },
    agent_type: { is: "text" },
  },
  matchesOn: { field: "agent_type" },
  answers: ["additionalContext"],
  app,
};
