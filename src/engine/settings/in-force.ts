import type { ResolvedOptions } from "../resolve-options.ts";
import { checkoutAt, pinFilesOf } from "../trust/pin-store.ts";
import { isOfCheckout, nothingToApprove, type Trust, type TrustedKey, unlimited } from "../trust/trust-state.ts";
import type { Layer } from "./layer.ts";
import { checkoutEnv } from "./layer-limits.ts";
import { type Effective, statusLineOf } from "./merge-layers.ts";
import type { Snapshot } from "./snapshot.ts";

/** A snapshot with what of it counts. What only trust makes count is worked out here, once. */
export interface InForce extends Snapshot {
  readonly trust: Trust;
  /** Variables for the checkout's own hooks and for tools, of files whose `env` is trusted. */
  readonly checkoutEnv: Readonly<Record<string, string>>;
  /** A file of the checkout whose `disableAllHooks` reaches hooks of other layers. */
  readonly disabling?: Layer;
  /** The status line of the first layer that may have one. */
  readonly statusLine?: Effective["statusLine"];
  /** Whether a list of the checkout narrows what hooks of other layers may do. */
  narrows(layer: Layer, key: TrustedKey): boolean;
}

export async function putInForce(snapshot: Snapshot, options: ResolvedOptions): Promise<InForce> {
  const trust = await trustFor(snapshot, options);
  const { layers } = snapshot;
  const trusting = (key: TrustedKey): readonly Layer[] =>
    layers.filter((layer) => trust.ofKey(layer, key).state === "trusted");
  const disabling = trusting("disableAllHooks").find(
    ({ kind, settings }) => (kind === "project" || kind === "local") && settings.disableAllHooks === true,
  );
  return Object.freeze({
    ...snapshot,
    warnings: trust.warnings.length === 0 ? snapshot.warnings : [...snapshot.warnings, ...trust.warnings],
    trust,
    checkoutEnv: checkoutEnv(trusting("env")).env,
    ...(disabling === undefined ? {} : { disabling }),
    statusLine: statusLineOf(trusting("statusLine")),
    narrows: (layer: Layer, key: TrustedKey) => trust.ofKey(layer, key).state === "trusted",
  });
}

/** The trust in force for a snapshot. What compares files with approvals is loaded for a folder that has something to approve. */
async function trustFor(snapshot: Snapshot, options: ResolvedOptions): Promise<Trust> {
  if (options.trust === "implicit") return unlimited;
  if (options.trust === "pinned" && !snapshot.layers.some(isOfCheckout)) {
    const { real } = await checkoutAt(options);
    return nothingToApprove(pinFilesOf([real], options));
  }
  const { pinnedTrust, workspaceTrust } = await import("../trust/trust-by-pins.ts");
  return options.trust === "workspace" ? workspaceTrust(options) : pinnedTrust(snapshot, options);
}
