import { Problem } from "../../protocol/index.ts";
import { appInside } from "../app/app-runtime.ts";
import type { Observation, ObservationKind } from "../app/observers.ts";

/** What an app's observers were told, in order. It grows while the app is used. */
export interface CapturedEvents {
  readonly all: readonly Observation[];
  of(kind: ObservationKind): readonly Observation[];
  clear(): void;
}

export function captureEvents(app: unknown): CapturedEvents {
  const observe = appInside(app)?.observe;
  if (observe === undefined) throw new Problem("sdk/no-app", "captureEvents needs the value of createApp().");
  const all: Observation[] = [];
  observe((observation) => void all.push(observation));
  return {
    all,
    of: (kind) => all.filter((one) => one.kind === kind),
    clear: () => void all.splice(0),
  };
}
