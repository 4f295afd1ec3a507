import {
  type Answer,
  type Ended,
  type EventRow,
  type FailurePolicy,
  type HookRef,
  stripControl,
  type Verdict,
  type Warning,
} from "../protocol/index.ts";

export interface FailedRun {
  readonly row: EventRow;
  readonly hook: HookRef;
  readonly ended: Ended;
  readonly onFailure: FailurePolicy;
}

/** A failed run keeps its own denial; otherwise the row and the hook's policy decide whether failing denies. */
export function withFailurePolicy(answer: Answer, run: FailedRun): { verdict: Verdict; warnings: readonly Warning[] } {
  const { failure, verdict } = answer;
  if (failure === undefined) return { verdict, warnings: [] };
  const denies = failureDenies(run);
  // What failed may be told in the hook's own words, and is for the person.
  const reason = stripControl(`Hook ${run.hook.name} failed: ${failure}`);
  const decided = denies || verdict.kind === "deny" || verdict.kind === "ask";
  const message = `${reason}.${decided ? "" : " The operation goes on."}`;
  const warning: Warning = { code: "hook-failed", message, place: placeOf(run.hook) };
  return {
    verdict: denies && verdict.kind !== "deny" ? { kind: "deny", reason } : verdict,
    warnings: isReported(run) || denies ? [warning] : [],
  };
}

function failureDenies({ row, ended, onFailure }: FailedRun): boolean {
  if (row.onFailure === "fail") return true;
  if (row.special.timeoutDenies && ended.by === "timeout") return true;
  return row.onFailure === "guard" && onFailure === "block";
}

/** Where the row keeps other exit codes to the record, only real breakdowns are told. */
function isReported({ row, ended }: FailedRun): boolean {
  return row.onOther !== null || ended.by !== "exit";
}

function placeOf(hook: HookRef): string {
  return hook.file === undefined ? hook.id : `${hook.file} (${hook.id})`;
}
