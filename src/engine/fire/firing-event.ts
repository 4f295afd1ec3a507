import type { EventRow, OutcomeOutput, ToolInput, Warning } from "../../protocol/internal.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import type { SharedCopies } from "../runners/in-process.ts";
import type { Slots } from "../runners/run-limits.ts";
import type { Services } from "../services.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import type { ProgressListener, RunStep } from "./in-flight.ts";
import type { AnyPayload } from "./payload.ts";

/** What happened, and what the engine uses for it from start to end. Never changed: another payload makes another event. */
export interface FiringEvent {
  readonly row: EventRow;
  /** Complete: as hooks get it. */
  readonly payload: AnyPayload;
  /** What matchers are compared with; undefined when the event matches on nothing or the field is missing. */
  readonly matched: string | undefined;
  /** Event and matched value, as in `PreToolUse:Bash`. */
  readonly occasion: string;
  /** 2: hooks see an input that another hook rewrote; they may only restrict it. */
  readonly round: 1 | 2;
  /** Every hook configured for the event, in configured order. */
  readonly hooks: readonly ConfiguredHook[];
  readonly settings: EffectiveSettings;
  readonly services: Services;
  readonly signal: AbortSignal;
  readonly depth: number;
  /** `all`: background hooks too. `nothing`: the host does not wait for the outcome, so command hooks run in the background. */
  readonly waitsFor: "all" | "foreground" | "nothing";
  /** The input that hooks have seen, when the host replaced it since. */
  readonly rewrittenFrom: ToolInput | undefined;
  /** How often hooks already made the agent continue; events at the end of a turn only. */
  readonly stopBlocks: StopBlocks | undefined;
  readonly onStep: ((step: RunStep) => void) | undefined;
  readonly progress: ProgressListener | undefined;
  /** What was noticed before its hooks ran. */
  readonly warnings: readonly Warning[];
  /** What in-process hooks share; filled when the first of them runs. */
  readonly copies: SharedCopies;
}

/** How one hook runs for an event. */
export interface HookRun {
  readonly event: FiringEvent;
  readonly hook: ConfiguredHook;
  /** The payload as one JSON line; empty when only in-process hooks run. */
  readonly line: string;
  /** The places for processes that the event's hooks share. */
  readonly slots: Slots;
  readonly timeoutMs: number;
  /** When the time of all hooks of the event is up, on the clock of `performance`. */
  readonly endsAt?: number;
  /** The event was settled before this hook answered: only its texts count. */
  readonly late?: true;
}

/** How often hooks made the agent continue before this event, and how often they may; a cap of 0 means no limit. */
type StopBlocks = NonNullable<OutcomeOutput["stopBlocks"]>;
