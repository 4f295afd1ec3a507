import type { Linked } from "../sessions/index.ts";
import { switchedModel } from "./model-switch.ts";
import type { Thread } from "./thread.ts";

/** A session that goes on with another model than the one that answered last: hooks hear of the switch. */
export async function noteOtherModel(main: Thread, before: string | undefined): Promise<void> {
  const { name } = main.model;
  if (before === undefined || isSame(before, name)) return;
  main.model = { ...main.model, name: before };
  await switchedModel(main, name, "resume");
}

/** Who answered last. Errors are answers of nobody. */
export function lastModel(context: readonly Linked[]): string | undefined {
  const last = context.findLast(
    (entry) => entry.kind === "assistant" && entry.model !== undefined && entry.model !== "<synthetic>",
  );
  return last?.kind === "assistant" ? last.model : undefined;
}

/** An answer may name a dated version of the model that was asked. */
function isSame(answered: string, asked: string): boolean {
  return answered === asked || answered.startsWith(`${asked}-`);
}
