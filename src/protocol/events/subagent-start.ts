import type { RowFacts } from "./event-row.ts";

export const subagentStart = {
  name: "SubagentStart",
  phase: "agent",
  fires: "a subagent begins",
  fields: {
    agent_id: { is: "text" },
    agent_type: { is: "text" },
  },
  matchesOn: { field: "agent_type" },
  answers: ["additionalContext"],
  app: { method: "onSubagentStart", answers: ["context"] },
} as const satisfies RowFacts;
