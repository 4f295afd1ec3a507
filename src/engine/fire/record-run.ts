import {
  defined,
  type Ended,
  type HookAnswerRecord,
  type RunRecord,
  stripControl,
  type Verdict,
  type Warning,
} from "../../protocol/internal.ts";
import { type MaybeAsync, whenReady } from "../runners/run-limits.ts";
import type { RunnerResult } from "../runners/runner-result.ts";
import { maxContextChars } from "../safe-text/display-text.ts";
import { checkWorktree, shorten } from "./answer-files.ts";
import type { HookRun } from "./firing-event.ts";
import { readAnswer } from "./read/read-answer.ts";
import type { ReadAnswer } from "./read/read-verdict.ts";

/** A run that is over, or continues in the background. */
export interface FinishedRun {
  readonly record: RunRecord;
  /** The sequential group it belongs to; null for hooks that run side by side. */
  readonly chain: string | null;
  readonly warnings: readonly Warning[];
}

export type RunTimes = Pick<RunRecord, "startedAt" | "durationMs">;

/** What a run came to: its output read by the event's row, completed, judged by the hook's failure policy. */
export function recordRun(run: HookRun, result: RunnerResult, times: RunTimes): MaybeAsync<FinishedRun> {
  if (isSilent(result, run)) return finished(run, recordOf(run, result, times, none), result.warnings);
  const read = readAnswer(result, run);
  return whenReady(checkAnswer(withEnvFile(read.answer, result.envFile), run), (checked) => {
    const judged = withFailurePolicy(checked.answer, result.ended, run);
    const { verdict: _, ...answer } = checked.answer;
    const warnings = [...result.warnings, ...read.warnings, ...checked.warnings, ...judged.warnings];
    return finished(run, recordOf(run, result, times, judged.verdict, answer), warnings);
  });
}

/** The record of a hook whose event is settled without it. */
export function recordStillRunning(run: HookRun, times: RunTimes): FinishedRun {
  return finished(run, recordOf(run, { ended: { by: "background" }, stdout: "", stderr: "" }, times, none), noWarnings);
}

const none: Verdict = { kind: "none" };
const noWarnings: readonly Warning[] = [];

function finished({ hook: { group } }: HookRun, record: RunRecord, warnings: readonly Warning[]): FinishedRun {
  return { record, chain: group.sequential ? group.key : null, warnings };
}

/** Most hooks answer nothing to most events: they return nothing, or end well and print nothing. */
function isSilent({ output, failure, stdout, envFile }: RunnerResult, { event: { row } }: HookRun): boolean {
  if (failure !== undefined) return false;
  if (output.kind === "returned") return output.value === undefined || output.value === null;
  // Where the text is the answer, an empty one counts too.
  return (
    output.kind === "printed" && output.exit === 0 && stdout === "" && envFile === undefined && row.onText !== "path"
  );
}

function withEnvFile(answer: HookAnswerRecord, envFile: string | undefined): HookAnswerRecord {
  return envFile === undefined ? answer : { ...answer, output: { ...answer.output, envFiles: [envFile] } };
}

/** The file work that an answer needs: checking a folder, writing long texts to files. Almost none needs any. */
function checkAnswer(answer: HookAnswerRecord, run: HookRun): MaybeAsync<ReadAnswer> {
  const checked = run.event.row.special.answersPath ? checkWorktree(answer, run) : { answer, warnings: [] };
  return whenReady(checked, (one) => (needsShortening(one.answer) ? shorten(one, run) : one));
}

function needsShortening({ verdict, context, messages, stop, output }: HookAnswerRecord): boolean {
  const reason = verdict.kind === "none" ? undefined : verdict.reason;
  const isLong = (text: string | undefined): boolean => text !== undefined && text.length > maxContextChars;
  if (messages !== undefined || stop?.reason !== undefined) return true;
  return isLong(reason) || isLong(output?.customInstructions) || (context?.some(isLong) ?? false);
}

/** A failed run keeps its own denial; otherwise the row and the hook's policy decide whether failing denies. */
function withFailurePolicy(
  { failure, verdict }: HookAnswerRecord,
  ended: Ended,
  run: HookRun,
): { verdict: Verdict; warnings: readonly Warning[] } {
  if (failure === undefined) return { verdict, warnings: noWarnings };
  const { ref } = run.hook;
  const denies = failureDenies(ended, run);
  // The failure may quote the hook, and is shown to the user.
  const reason = stripControl(`Hook ${ref.name} failed: ${failure}`);
  const decided = denies || verdict.kind === "deny" || verdict.kind === "ask";
  const message = `${reason}.${decided ? "" : " The operation continues."}`;
  const place = ref.file === undefined ? ref.id : `${ref.file} (${ref.id})`;
  const warning: Warning = { code: "hook-failed", message, place };
  return {
    verdict: denies && verdict.kind !== "deny" ? { kind: "deny", reason } : verdict,
    warnings: denies || isReported(ended, run) ? [warning] : noWarnings,
  };
}

function failureDenies(ended: Ended, { event: { row }, hook: { onFailure } }: HookRun): boolean {
  if (row.onFailure === "fail") return true;
  if (row.special.timeoutDenies && ended.by === "timeout") return true;
  return row.onFailure === "guard" && onFailure === "block";
}

/** Where the row keeps other exit codes to the record, only real breakdowns are reported. */
function isReported(ended: Ended, { event: { row } }: HookRun): boolean {
  return row.onOther !== null || ended.by !== "exit";
}

function recordOf(
  { hook: { ref }, event: { round } }: HookRun,
  { ended, stdout, stderr, droppedBytes, spent }: Omit<RunnerResult, "output" | "warnings">,
  { startedAt, durationMs }: RunTimes,
  verdict: Verdict,
  answer?: Omit<HookAnswerRecord, "verdict">,
): RunRecord {
  const background = ended.by === "background";
  const record = {
    hook: ref,
    ended,
    verdict,
    startedAt: Math.floor(startedAt),
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    stdout,
    stderr,
    background,
    round,
  };
  if (answer === undefined && droppedBytes === undefined && spent === undefined) return record;
  const given = answer !== undefined && Object.keys(answer).length > 0 ? answer : undefined;
  return { ...record, ...defined({ droppedBytes, spent, answer: given }) };
}
