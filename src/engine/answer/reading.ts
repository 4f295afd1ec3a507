import type { Answer, EventRow, HookType, LayerKind, Warning, WarningCode } from "../../protocol/index.ts";
import { stripControl } from "../display.ts";

/** What a reader has to know beside the text: whose answer it is, and to what. */
export interface Reading {
  readonly row: EventRow;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Event and matched value, as in `PreToolUse:Bash`. */
  readonly occasion: string;
  readonly hookId: string;
  readonly type: HookType;
  readonly source: LayerKind;
  /** Whether the host offers the mode that asks nothing. */
  readonly bypassAvailable: boolean;
  /** The event was settled long ago: only texts count, and what is ill-typed beside them is merely dropped. */
  readonly late: boolean;
}

export interface ReadAnswer {
  readonly answer: Answer;
  readonly warnings: readonly Warning[];
}

export const noAnswer: Answer = { verdict: { kind: "none" } };

/** A warning may quote the hook, and is for the person. */
export function warn(reading: Reading, code: WarningCode, message: string): Warning {
  return { code, message: stripControl(message), place: reading.hookId };
}

/** The words of a denial that came without any. */
export function defaultReason({ row, occasion }: Reading, verb: "denied" | "asks about"): string {
  return `Hook ${occasion} ${verb} this ${row.special.onTool ? "tool" : "operation"}`;
}
