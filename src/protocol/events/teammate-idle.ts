import { type CatalogRow, types } from "../row.ts";

export interface TeammateIdleInput {
  readonly teammate_name: string;
  readonly team_name: string;
}

const app = { method: "onTeammateIdle", answers: ["block"] } as const;

export const teammateIdle: CatalogRow<"TeammateIdle", TeammateIdleInput, typeof app> = {
  name: "TeammateIdle",
  phase: "agent",
  since: "2.1.197",
  fires: "a teammate is about to go idle",
  carries: ["permission_mode"],
  fields: {
    teammate_name: { is: "text" },
    team_name: { is: "text" },
  },
  matchesOn: null,
  onText: null,
  onBlock: "goOn",
  onOther: "report",
  answers: [],
  decisions: ["deny"],
  blockWord: true,
  types: types.all,
  timeoutMs: null,
  blocks: "the teammate goes on",
  awaited: true,
  onFailure: "open",
  onStop: "stop",
  onNotOk: "stop",
  special: {},
  app,
};
