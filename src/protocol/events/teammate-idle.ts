import { hookTypes, type RowFacts } from "./event-row.ts";

export const teammateIdle = {
  name: "TeammateIdle",
  phase: "agent",
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
  app: { method: "onTeammateIdle", answers: ["block"] },
} as const satisfies RowFacts;
