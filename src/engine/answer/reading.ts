import {
  type Answer,
  type EventRow,
  type FailurePolicy,
  type HookType,
  type LayerKind,
  stripControl,
  type Warning,
  type WarningCode,
} from "../../protocol/index.ts";

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
  /** With `block` an exit code other than 0 and 2 and an unknown decision word are failures, whatever else was printed. */
  readonly onFailure: FailurePolicy;
}

export interface ReadAnswer {
  readonly answer: Answer;
  readonly warnings: readonly Warning[];
}

/** Whether a failure of this hook denies on this event. */
export function failureBlocks({ row, onFailure }: Reading): boolean {
  return onFailure === "block" && row.onFailure === "guard";
}

export const noAnswer: Answer = { verdict: { kind: "none" } };

/** A warning may quote the hook, and is for the person. */
export function warn(reading: Reading, code: WarningCode, message: string): Warning {
  return { code, message: stripControl(message), place: reading.hookId };
}

/** The words of a denial that came without any. */
export function stockDenial({ row }: Reading): string {
  return row.special.stockDenial ?? "Blocked by hook";
}

/** The words of a question that came without any. */
export function stockQuestion({ row, occasion }: Reading): string {
  return `Hook ${occasion} requires confirmation for this ${row.special.onTool ? "tool" : "operation"}`;
}
