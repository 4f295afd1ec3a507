/** What the agent and the command line use of the models. */

export { efforts, endOfLifeNotice } from "./anthropic/known-models.ts";
export * from "./index.ts";
export { blocksIn, joinTurns, textIn } from "./message.ts";
export { eventsOf, incompleteAnswer, noUsage } from "./model.ts";
export { providerKeys } from "./open-model.ts";
export { parseScript } from "./scripted/script.ts";
