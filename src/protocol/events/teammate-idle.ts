import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

const fields = {
  teammate_name: { is: "text" },
  team_name: { is: "text" },
} as const;

const app = { method: "onTeammateIdle", answers: ["block"] } as const;

export const teammateIdle: CatalogRow<"TeammateIdle", typeof fields, typeof app> = {
  ...usual,
  name: "TeammateIdle",
  phase: "agent",
  fires: "a teammate is about to go idle",
  carries: ["permission_mode"],
  fields,
  onBlock: "goOn",
  decisions: ["deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the teammate continues",
  onStop: "stop",
  onNotOk: "stop",
  app,
};
