import { messageOf } from "../../protocol/internal.ts";
import { isPromise } from "../run/handler-deadline.ts";
import { sdkProblem } from "./argument-checks.ts";
import { deepFreeze } from "./hook-event.ts";

export const observationKinds = [
  "hook-start",
  "hook-end",
  "hook-error",
  "handler-start",
  "handler-end",
  "handler-skip",
  "handler-error",
  "custom",
] as const;
/** The kind of an observation, accepted by `app.observe`. */
export type ObservationKind = (typeof observationKinds)[number];

/** The frozen argument of an observer. Observers cannot change the answer. */
export interface Observation {
  /** What happened. */
  readonly kind: ObservationKind;
  /** The event it belongs to. */
  readonly event: string;
  /** The id of the session. */
  readonly session?: string;
  /** The name of the handler. */
  readonly handler?: string;
  readonly [field: string]: unknown;
}

/** A function that receives observations, registered with `app.observe`. */
export type Observer = (observation: Observation) => void;

export type Observers = ReturnType<typeof openObservers>;

export function openObservers() {
  const observers: { kind: ObservationKind | undefined; observer: Observer }[] = [];
  return {
    add(args: readonly unknown[]): void {
      const [kind, observer] = args.length > 1 ? args : [undefined, args[0]];
      if (typeof observer !== "function")
        throw sdkProblem("no-observer", "observe(kind?, fn): the last argument must be a function.");
      if (kind !== undefined && !observationKinds.includes(kind as ObservationKind)) {
        const message = `"${String(kind)}" is not a kind of observation. The kinds are ${observationKinds.join(", ")}.`;
        throw sdkProblem("unknown-kind", message, { kind });
      }
      observers.push({ kind: kind as ObservationKind | undefined, observer: observer as Observer });
    },
    /** Contract: `make` is called only if an observer listens; an observer that throws is reported and ignored. */
    notify(kind: ObservationKind, make: () => Omit<Observation, "kind">, complain: (line: string) => void): void {
      const listening = observers.filter((one) => one.kind === undefined || one.kind === kind);
      if (listening.length === 0) return;
      const observation = deepFreeze({ kind, ...make() } as Observation);
      for (const { observer } of listening) {
        const report = (error: unknown) => complain(`An observer of ${kind} threw: ${messageOf(error)}`);
        try {
          const returned: unknown = observer(observation);
          if (isPromise(returned)) returned.then(undefined, report);
        } catch (error) {
          report(error);
        }
      }
    },
  };
}
