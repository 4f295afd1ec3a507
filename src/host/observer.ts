import { messageOf, type Warning } from "../protocol/index.ts";

/** Contract: whatever the observer throws ends nothing and is told once; later events still reach it. */
export function guardedObserver<Event extends { readonly kind: string }>(
  observe: ((event: Event) => void) | undefined,
  told: (warning: Warning & { readonly code: "observer-threw" }) => void,
): (event: Event) => void {
  let threw = false;
  return (event) => {
    try {
      observe?.(event);
    } catch (error) {
      if (threw) return;
      threw = true;
      const message = `The observer of this run threw at "${event.kind}": ${messageOf(error)}`;
      told({ code: "observer-threw", message });
    }
  };
}
