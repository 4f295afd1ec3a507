import type { Verdict, Warning } from "../../protocol/index.ts";
import type { SettledRun, Settling } from "./settle.ts";

export interface SettledStop {
  readonly continue: boolean;
  readonly stopReason?: string;
  /** `continue: false` counts as a block here. */
  readonly refuses: boolean;
  readonly warnings: readonly Warning[];
}

/** What `continue: false` does on this event; the first configured reason is told. */
export function settleStop({ row, attended }: Settling, runs: readonly SettledRun[], verdict: Verdict): SettledStop {
  const stops = runs.filter(({ record }) => record.answer?.stop !== undefined);
  if (stops.length === 0) return goesOn;
  if (row.onStop === "ignore") return { ...goesOn, warnings: stops.map((stop) => ignored(row.name, stop)) };
  if (row.onStop === "after-tool" && verdict.kind === "ask" && !attended) {
    return { ...goesOn, warnings: stops.map((stop) => unasked(row.name, stop)) };
  }
  const reason = stops.map(({ record }) => record.answer?.stop?.reason).find((text) => text !== undefined);
  const refuses = row.onStop === "refuse";
  return {
    continue: false,
    ...(reason === undefined ? (refuses ? { stopReason: "A hook stopped this" } : {}) : { stopReason: reason }),
    refuses,
    warnings:
      row.onStop === "after-tool" && verdict.kind !== "deny" ? stops.map((stop) => notADenial(row.name, stop)) : [],
  };
}

const goesOn: SettledStop = { continue: true, refuses: false, warnings: [] };

function ignored(event: string, { record }: SettledRun): Warning {
  const message = `continue: false has no effect on ${event}; hook ${record.hook.name} stopped nothing.`;
  return { code: "continue-ignored", message, place: record.hook.id };
}

/** As measured in 2.1.325: a denial ends the turn, a question that cannot be put to a user does not. */
function unasked(event: string, { record }: SettledRun): Warning {
  const message = `continue: false on ${event} has no effect next to a question that no user can answer; hook ${record.hook.name} stopped nothing.`;
  return { code: "continue-ignored", message, place: record.hook.id };
}

function notADenial(event: string, { record }: SettledRun): Warning {
  const message = `continue: false on ${event} stops the run after the tool; to stop the tool, hook ${record.hook.name} must answer deny.`;
  return { code: "stop-is-not-deny", message, place: record.hook.id };
}
