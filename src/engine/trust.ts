import type { ConfiguredHook } from "./configured.ts";
import type { TrustState } from "./gates.ts";
import type { Layer } from "./layer.ts";
import type { EngineOptions } from "./options.ts";
import { isOfCheckout } from "./policy.ts";

/** Whether something may run as far as trust goes. The one place that is asked, for every event and for the status line. */
export interface Trust {
  ofHook(hook: ConfiguredHook): TrustState;
  ofStatusLine(layer: Layer): TrustState;
}

export function trustIn(mode: NonNullable<EngineOptions["trust"]>): Trust {
  const ofLayer = ({ kind }: Layer): TrustState => (mode === "implicit" || !isOfCheckout(kind) ? "trusted" : "new");
  return { ofHook: ({ layer }) => ofLayer(layer), ofStatusLine: ofLayer };
}
