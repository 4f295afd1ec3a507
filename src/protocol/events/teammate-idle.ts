import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface TeammateIdleInput {
  readonly teammate_name: string;
  readonly team_name: string;
}

const app = { method: "onTeammateIdle", answers: ["block"] } as const;

export const teammateIdle: CatalogRow<"TeammateIdle", TeammateIdleInput, typeof app> = {
  ...usual,
  name: "TeammateIdle",
  phase: "agent",
  since: "2.1.197",
  fires: "a teammate is about to go idle",
  carries: ["permission_mode"],
  fields: {
    teammate_name: { is: "text" },
    team_name: { is: "text" },
  },
  onBlock: "goOn",
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the teammate continues",
  onStop: "stop",
  onNotOk: "stop",
  app,
};
