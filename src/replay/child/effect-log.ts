import type { Effect } from "../child-protocol.ts";

/** What the app has tried to do since somebody last asked. */
export interface EffectLog {
  note(kind: Effect["kind"], target: unknown): void;
  /** Whose turn it is; undefined between handlers. */
  running(handler: string | undefined): void;
  readonly current: string | undefined;
  /** Gives what was noted and forgets it. */
  take(): readonly Effect[];
}

/** Of a million attempts only a few are reported. */
const most = 20;

export function effectLog(): EffectLog {
  let current: string | undefined;
  let noted: Effect[] = [];
  return {
    note(kind, target) {
      if (noted.length >= most) return;
      noted.push({ kind, target: textOf(target), ...(current === undefined ? {} : { handler: current }) });
    },
    running(handler) {
      current = handler;
    },
    get current() {
      return current;
    },
    take() {
      const taken = noted;
      noted = [];
      return taken;
    },
  };
}

function textOf(target: unknown): string {
  if (target instanceof URL) return target.href;
  if (target instanceof Uint8Array) return Buffer.from(target).toString("utf8");
  return String(target ?? "").slice(0, 300);
}

/** An error like those of the permission model, for what the model does not cover. */
export class EffectDenied extends Error {
  readonly code = "ERR_ACCESS_DENIED";

  constructor(what: string) {
    super(`${what} is refused: this is a replay, and a replay has no effects`);
  }
}

export function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
}
