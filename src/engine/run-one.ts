import type { Answer, RunRecord, Verdict, Warning } from "../protocol/index.ts";
import { readAnswer } from "./answer/read.ts";
import type { Reading } from "./answer/reading.ts";
import type { ConfiguredHook } from "./configured.ts";
import { withFailurePolicy } from "./failure.ts";
import { finishAnswer } from "./finish.ts";
import type { Firing, OneRun, RunStep } from "./firing.ts";
import type { Ran } from "./ran.ts";
import { dispatch } from "./runners/dispatch.ts";
import type { Slots } from "./slots.ts";
import { type Soon, soon } from "./soon.ts";
import type { Services } from "./world.ts";

export interface OneLimits {
  /** The payload as one JSON line; empty when only in-process hooks run. */
  readonly line: string;
  readonly slots: Slots;
  readonly timeoutMs: number;
  /** When the time of all hooks of the event together is up, on the clock of `performance`. */
  readonly endsAt?: number;
}

/** One hook from start to record: run, read by the row, finished, judged by its failure policy. */
export function runOne(
  configured: ConfiguredHook,
  firing: Firing,
  services: Services,
  limits: OneLimits,
): Soon<OneRun> {
  const startedAt = services.clock.now();
  if (firing.onStep !== undefined) firing.onStep(startedStep(configured));
  const ran = dispatch(configured, firing, services, limits);
  if (ran instanceof Promise) return ran.then((late) => conclude(configured, firing, services, late, startedAt));
  return conclude(configured, firing, services, ran, startedAt);
}

function startedStep({ ref, hook }: ConfiguredHook): RunStep {
  return { kind: "started", hook: ref, ...(hook.statusMessage ? { statusMessage: hook.statusMessage } : {}) };
}

function conclude(
  configured: ConfiguredHook,
  firing: Firing,
  services: Services,
  ran: Ran | "background",
  startedAt: number,
): Soon<OneRun> {
  const times = { startedAt, durationMs: services.clock.now() - startedAt };
  const one =
    ran === "background"
      ? backgroundRun(configured, firing, times)
      : recordRun(configured, firing, services, ran, times);
  if (one instanceof Promise) return one.then((late) => told(late, firing, services));
  return told(one, firing, services);
}

function told(one: OneRun, firing: Firing, services: Services): OneRun {
  firing.onStep?.({ kind: "ended", record: one.record });
  services.observe(one.record, firing.payload);
  return one;
}

export interface Times {
  readonly startedAt: number;
  readonly durationMs: number;
}

/** What a run came to, as record and warnings; `late` for runs that ended in the background. */
export function recordRun(
  configured: ConfiguredHook,
  firing: Firing,
  services: Services,
  ran: Ran,
  times: Times,
  when: "awaited" | "late" = "awaited",
): Soon<OneRun> {
  if (saidNothing(ran, configured))
    return { record: recordOf(configured, firing, ran, times, none), warnings: ran.warnings };
  const read = readAnswer(ran, readingOf(configured, firing, services, when === "late"));
  return soon(finishAnswer(withEnvFile(read.answer, ran.envFile), configured, firing, services), (finished) => {
    const { row, ref, onFailure } = configured;
    const judged = withFailurePolicy(finished.answer, { row, hook: ref, ended: ran.ended, onFailure });
    const { verdict: _, ...answer } = finished.answer;
    return {
      record: recordOf(configured, firing, ran, times, judged.verdict, answer),
      warnings: [...ran.warnings, ...read.warnings, ...finished.warnings, ...judged.warnings],
    };
  });
}

const none: Verdict = { kind: "none" };

/** Most hooks have nothing to say about most events: they return nothing, or end well and print nothing. */
function saidNothing({ said, failure, stdout, envFile }: Ran, { row }: ConfiguredHook): boolean {
  if (failure !== undefined) return false;
  if (said.kind === "returned") return said.value === undefined || said.value === null;
  // Where a hook answers by its text, silence says something too.
  return said.kind === "printed" && said.exit === 0 && stdout === "" && envFile === undefined && row.onText !== "path";
}

function withEnvFile(answer: Answer, envFile: string | undefined): Answer {
  return envFile === undefined ? answer : { ...answer, output: { ...answer.output, envFiles: [envFile] } };
}

function readingOf(configured: ConfiguredHook, firing: Firing, services: Services, late: boolean): Reading {
  const { ref, hook, row, layer, onFailure } = configured;
  return {
    row,
    payload: firing.payload,
    occasion: firing.occasion,
    hookId: ref.id,
    type: hook.type,
    source: layer.kind,
    bypassAvailable: services.options.bypassAvailable,
    late,
    onFailure,
  };
}

function backgroundRun(configured: ConfiguredHook, firing: Firing, times: Times): OneRun {
  return {
    record: recordOf(configured, firing, { ended: { by: "background" }, stdout: "", stderr: "" }, times, none),
    warnings: noWarnings,
  };
}

const noWarnings: readonly Warning[] = [];

function recordOf(
  { ref }: ConfiguredHook,
  { round }: Firing,
  { ended, stdout, stderr, droppedBytes, spent }: Pick<Ran, "ended" | "stdout" | "stderr" | "droppedBytes" | "spent">,
  { startedAt, durationMs }: Times,
  verdict: Verdict,
  answer?: Omit<Answer, "verdict">,
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
  const said = answer !== undefined && Object.keys(answer).length > 0;
  return {
    ...record,
    ...(droppedBytes ? { droppedBytes } : {}),
    ...(spent ? { spent } : {}),
    ...(said ? { answer } : {}),
  };
}
