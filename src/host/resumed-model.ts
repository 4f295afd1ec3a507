import type { Linked } from "../sessions/index.ts";
import { switchedModel } from "./model-switch.ts";
import type { Thread } from "./thread.ts";

/** A session that goes on with another model than the one that answered last: hooks hear of the switch. */
export async function noteOtherModel(main: Thread, context: readonly Linked[]): Promise<void> {
  const before = lastModel(context);
  const { name } = main.model;
  if (before === undefined || isSame(before, name)) return;
  main.model = { ...main.model, name: before };
  await switchedModel(main, name, "resume");
}

/** Errors are answers of nobody. */
function lastModel(context: readonly Linked[]): string | undefined {
  const models = context.map((entry) => (entry.kind === "assistant" ? entry.model : undefined));
  return models.findLast((model) => model !== undefined && model !== "<synthetic>");
}

/** An answer may name a dated version of the model that was asked. */
function isSame(answered: string, asked: string): boolean {
  return answered === asked || answered.startsWith(`${asked}-`);
}
