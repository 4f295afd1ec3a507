import { defined } from "../../protocol/internal.ts";
import type { Effect } from "../child-protocol.ts";

export type EffectLog = ReturnType<typeof effectLog>;

/** Further effects of one event are not reported. */
const most = 20;

/** The effects that the app attempted since the last `take`. */
export function effectLog() {
  const effects: Effect[] = [];
  return {
    /** The handler that runs; undefined between handlers. */
    current: undefined as string | undefined,
    note(kind: Effect["kind"], target: unknown): void {
      if (effects.length >= most) return;
      effects.push({ kind, target: textOf(target), ...defined({ handler: this.current }) });
    },
    /** Returns the effects and clears the log. */
    take: (): readonly Effect[] => effects.splice(0),
  };
}

function textOf(target: unknown): string {
  if (target instanceof URL) return target.href;
  if (target instanceof Uint8Array) return Buffer.from(target).toString("utf8");
  return String(target ?? "").slice(0, 300);
}

/** The error that Node's permission model throws, for effects that it does not cover. */
export class EffectDenied extends Error {
  readonly code = "ERR_ACCESS_DENIED";

  constructor(what: string) {
    super(`${what} is refused: a replay has no effects`);
  }
}

export function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
}
