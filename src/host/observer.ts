import type { Warning } from "../protocol/index.ts";
import type { AgentEvent } from "./agent-event.ts";

/** Contract: whatever the observer throws ends nothing and is told once; later events still reach it. */
export function guardedObserver(
  observe: ((event: AgentEvent) => void) | undefined,
  told: (warning: Warning) => void,
): (event: AgentEvent) => void {
  let threw = false;
  return (event) => {
    try {
      observe?.(event);
    } catch (error) {
      if (threw) return;
      threw = true;
      told({ code: "observer-threw", message: `The observer of this run threw at "${event.kind}": ${String(error)}` });
    }
  };
}
