import { syncBuiltinESMExports } from "node:module";
import type { EffectLog } from "./effect-log.ts";
import { refuseNetwork } from "./refuse-network.ts";
import { refuseOthers } from "./refuse-others.ts";
import { watchDenied } from "./watch-denied.ts";

/**
 * Closes what Node's permission model leaves open, and notes what it refuses. The model itself keeps files, processes and threads:
 * were every function here put back by an app, it would still start nothing, and write nothing but what V8 writes by itself.
 */
export async function refuseEffects(log: EffectLog): Promise<void> {
  await watchDenied(log);
  refuseNetwork(log);
  await refuseOthers(log);
  // Names that were imported from built-in modules follow only now.
  syncBuiltinESMExports();
}
