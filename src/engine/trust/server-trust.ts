import type { EngineOptions } from "../options.ts";
import { resolveOptions } from "../resolve-options.ts";
import { checkoutAt, readPins } from "./pin-store.ts";
import { noPins } from "./pins.ts";
import { type CheckoutServer, pinnableServer } from "./servers.ts";
import { judgeAll, workspaceTrust } from "./trust-by-pins.ts";
import { type Standing, trusted } from "./trust-state.ts";

/** Contract: judges the configuration it is given, so that what is started is what was judged. */
export type ServerTrust = (server: CheckoutServer) => Standing;

/** The trust in force for servers that a checkout configures. */
export async function serverTrust(options: EngineOptions): Promise<ServerTrust> {
  const places = resolveOptions(options);
  if (places.trust === "implicit") return () => trusted;
  if (places.trust === "workspace") {
    const trust = await workspaceTrust(places);
    return ({ name }) => trust.ofPinnable(name);
  }
  const checkout = await checkoutAt(places);
  const known = await readPins(places, checkout.real);
  const { pins } = "pins" in known ? known.pins : noPins(checkout.real);
  return (server) => {
    const one = pinnableServer(server, checkout);
    return judgeAll([one], pins, checkout).get(one.id)?.() ?? { state: "new", detail: "nobody has approved it yet" };
  };
}
