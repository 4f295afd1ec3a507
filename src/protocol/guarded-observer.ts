import { messageOf } from "./problem.ts";
import type { Warning } from "./warning-codes.ts";

/**
 * Contract: whatever the observer throws, at once or as a promise that is rejected, ends nothing and is reported once; later events still
 * reach it.
 */
export function guardedObserver<Event extends { readonly kind: string }>(
  observe: ((event: Event) => void) | undefined,
  told: (warning: Warning & { readonly code: "observer-threw" }) => void,
): (event: Event) => void {
  let threw = false;
  const onThrow = (kind: string, error: unknown): void => {
    if (threw) return;
    threw = true;
    const message = `The observer of this run threw at "${kind}": ${messageOf(error)}`;
    told({ code: "observer-threw", message });
  };
  return (event) => {
    try {
      const done: unknown = observe?.(event);
      if (done instanceof Promise) done.catch((error: unknown) => onThrow(event.kind, error));
    } catch (error) {
      onThrow(event.kind, error);
    }
  };
}
