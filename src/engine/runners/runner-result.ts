import type { Ended, ModelSpent, Warning } from "../../protocol/index.ts";

/** What a runner brings back: how the run ended and what was said, not yet read by the event's row. */
export interface Ran {
  readonly ended: Ended;
  readonly said: Said;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes?: { readonly stdout: number; readonly stderr: number };
  readonly spent?: readonly ModelSpent[];
  /** Why the run counts as failed, in words for the person. */
  readonly failure?: string;
  readonly warnings: readonly Warning[];
  /** A file of `export` lines that the hook wrote for later shell calls. */
  readonly envFile?: string;
}

export type Said =
  /** A process: `exit` is null when a signal ended it; `whole` is false when output was cut. */
  | { readonly kind: "printed"; readonly exit: number | null; readonly whole: boolean }
  /** An http body or the text of an MCP tool, in `stdout`; `ok` is false under an error status. */
  | { readonly kind: "body"; readonly ok: boolean; readonly whole: boolean }
  /** What a callback returned. */
  | { readonly kind: "returned"; readonly value: unknown }
  /** A model's or function's judgement. */
  | {
      readonly kind: "judged";
      readonly ok: boolean;
      readonly reason?: string;
      readonly impossible?: boolean;
      readonly continueOnBlock: boolean;
    }
  | { readonly kind: "nothing" };
