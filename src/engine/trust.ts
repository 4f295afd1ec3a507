import type { ConfiguredHook } from "./configured.ts";
import type { TrustState } from "./gates.ts";
import type { EngineOptions } from "./options.ts";

/** Whether a hook may run as far as trust goes. The one place that is asked, for every event. */
export type TrustOf = (hook: ConfiguredHook) => TrustState;

/** Layers whose content a stranger may have written. */
const checkoutLayers: ReadonlySet<string> = new Set(["project", "local"]);

export function trustIn(mode: NonNullable<EngineOptions["trust"]>): TrustOf {
  if (mode === "implicit") return () => "trusted";
  return ({ layer }) => (checkoutLayers.has(layer.kind) ? "new" : "trusted");
}
