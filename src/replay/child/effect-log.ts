import { defined } from "../../protocol/internal.ts";
import type { Effect } from "../child-protocol.ts";

/** The effects that the app attempted since the last `take`. */
export interface EffectLog {
  note(kind: Effect["kind"], target: unknown): void;
  /** The handler that runs; undefined between handlers. */
  current: string | undefined;
  /** Returns the effects and clears the log. */
  take(): readonly Effect[];
}

/** Further effects of one event are not reported. */
const most = 20;

export function effectLog(): EffectLog {
  let effects: Effect[] = [];
  return {
    current: undefined,
    note(kind, target) {
      if (effects.length >= most) return;
      effects.push({ kind, target: textOf(target), ...defined({ handler: this.current }) });
    },
    take() {
      const taken = effects;
      effects = [];
      return taken;
    },
  };
}

function textOf(target: unknown): string {
  if (target instanceof URL) return target.href;
  if (target instanceof Uint8Array) return Buffer.from(target).toString("utf8");
  return String(target ?? "").slice(0, 300);
}

/** The same error as the permission model's, for effects that the model does not cover. */
export class EffectDenied extends Error {
  readonly code = "ERR_ACCESS_DENIED";

  constructor(what: string) {
    super(`${what} is refused: a replay has no effects`);
  }
}

export function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
}
