import { type CatalogRow, types } from "../row.ts";

export interface SubagentStartInput {
  readonly agent_id: string;
  readonly agent_type: string;
}

const app = { method: "onSubagentStart", answers: ["context"] } as const;

export const subagentStart: CatalogRow<"SubagentStart", SubagentStartInput, typeof app> = {
  name: "SubagentStart",
  phase: "agent",
  since: "2.1.197",
  fires: "a subagent begins",
  carries: [],
  fields: {
    agent_id: { is: "text" },
    agent_type: { is: "text" },
  },
  matchesOn: { field: "agent_type" },
  onText: null,
  onBlock: null,
  onOther: "report",
  answers: ["additionalContext"],
  decisions: [],
  blockWord: false,
  types: types.io,
  timeoutMs: null,
  blocks: null,
  awaited: true,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: {},
  app,
};
