import type { ToolInput } from "../protocol/index.ts";
import type { WatchedProgress } from "./firing.ts";

/** What a host may say of one event beside its payload. */
export interface FireOptions {
  readonly signal?: AbortSignal;
  /** Awaits background hooks too and uses their answers. */
  readonly forceSync?: boolean;
  /**
   * The input that hooks of this event have seen, when somebody has put that of the payload in its place since. Only hooks whose
   * condition holds for the new one and did not for this one are asked (with `rejudge: "all"` the others too); they may refuse and
   * ask, not rewrite.
   */
  readonly rewrittenFrom?: ToolInput;
  /** Is told what command hooks that are waited for have printed so far. */
  readonly progress?: WatchedProgress;
}
