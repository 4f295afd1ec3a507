import type { Decision, OutcomeOutput, Verdict, Warning } from "../../protocol/index.ts";
import type { Settling } from "./settle.ts";

/** How often hooks made the agent go on, before this event; a cap of 0 is none. */
export interface TurnState {
  readonly count: number;
  readonly cap: number;
}

interface Turning {
  readonly verdict: Verdict;
  readonly blocked: boolean;
  readonly reason: string | undefined;
  readonly stopped: boolean;
  readonly hasContext: boolean;
}

interface Turned {
  readonly decision: Decision;
  readonly blocked: boolean;
  readonly reason?: string;
  readonly output: OutcomeOutput;
  readonly warnings: readonly Warning[];
}

/** At the end of a turn: context makes the agent go on too, `continue: false` wins over any block, and a cap ends the loop. */
export function settleTurn({ row, turn }: Settling, turning: Turning): Turned {
  const { verdict, blocked, reason } = turning;
  if (!row.special.endsTurn) return { decision: verdict.kind, blocked, ...worded(reason), output: {}, warnings: [] };
  const { count, cap } = turn ?? { count: 0, cap: 0 };
  if (turning.stopped) return ended({ count, cap }, []);
  const byContext = !blocked && turning.hasContext;
  if (!blocked && !byContext) return ended({ count, cap }, []);
  const why = reason ?? "A hook added context for the agent to work on";
  if (cap > 0 && count >= cap) {
    const message = `Hooks made the agent go on ${count} times in a row; this time it may stop. They said: ${why}`;
    return ended({ count, cap }, [{ code: "stop-cap", message }]);
  }
  const output = { stopBlocks: { count: count + 1, cap } };
  return { decision: verdict.kind, blocked: true, reason: why, output, warnings: [] };
}

function ended(stopBlocks: TurnState, warnings: readonly Warning[]): Turned {
  return { decision: "none", blocked: false, output: { stopBlocks }, warnings };
}

function worded(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}
