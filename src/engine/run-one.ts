import type { Answer, Ended, RunRecord } from "../protocol/index.ts";
import { readAnswer } from "./answer/read.ts";
import type { Reading } from "./answer/reading.ts";
import type { ConfiguredHook } from "./configured.ts";
import { withFailurePolicy } from "./failure.ts";
import { finishAnswer } from "./finish.ts";
import type { Firing, OneRun, World } from "./firing.ts";
import type { Ran } from "./ran.ts";
import { dispatch } from "./runners/dispatch.ts";
import type { Slots } from "./slots.ts";

export interface OneLimits {
  /** The payload as one JSON line; empty when only in-process hooks run. */
  readonly line: string;
  readonly slots: Slots;
  readonly timeoutMs: number;
}

/** One hook from start to record: run, read by the row, finished, judged by its failure policy. */
export async function runOne(
  configured: ConfiguredHook,
  firing: Firing,
  world: World,
  limits: OneLimits,
): Promise<OneRun> {
  const { ref, hook } = configured;
  const startedAt = world.clock.now();
  const begun = performance.now();
  firing.onStep({ kind: "started", hook: ref, ...(hook.statusMessage ? { statusMessage: hook.statusMessage } : {}) });
  const ran = await dispatch(configured, firing, world, limits);
  const one =
    ran === "background"
      ? {
          record: recordOf(configured, firing, backgroundRan, { startedAt, durationMs: performance.now() - begun }),
          warnings: [],
        }
      : await recordRun(configured, firing, world, ran, { startedAt, durationMs: performance.now() - begun });
  firing.onStep({ kind: "ended", record: one.record });
  world.observe(one.record, String(firing.payload["session_id"]));
  return one;
}

export interface Times {
  readonly startedAt: number;
  readonly durationMs: number;
}

/** What a run came to, as record and warnings; also for runs that ended in the background. */
export async function recordRun(
  configured: ConfiguredHook,
  firing: Firing,
  world: World,
  ran: Ran,
  times: Times,
): Promise<OneRun> {
  const read = readAnswer(ran, readingOf(configured, firing, world));
  const finished = await finishAnswer(withEnvFile(read.answer, ran.envFile), configured, firing, world);
  const { row, ref, onFailure } = configured;
  const judged = withFailurePolicy(finished.answer, { row, hook: ref, ended: ran.ended, onFailure });
  const record = recordOf(configured, firing, ran, times);
  const { verdict: _, ...answer } = finished.answer;
  const said = Object.keys(answer).length > 0 ? { answer } : {};
  return {
    record: { ...record, verdict: judged.verdict, ...said },
    warnings: [...ran.warnings, ...read.warnings, ...finished.warnings, ...judged.warnings],
  };
}

function withEnvFile(answer: Answer, envFile: string | undefined): Answer {
  return envFile === undefined ? answer : { ...answer, output: { ...answer.output, envFiles: [envFile] } };
}

function readingOf({ ref, hook, row, layer }: ConfiguredHook, firing: Firing, world: World): Reading {
  return {
    row,
    payload: firing.payload,
    occasion: firing.occasion,
    hookId: ref.id,
    type: hook.type,
    source: layer.kind,
    bypassAvailable: world.bypassAvailable,
  };
}

interface Shown {
  readonly ended: Ended;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes?: { readonly stdout: number; readonly stderr: number };
}

const backgroundRan: Shown = { ended: { by: "background" }, stdout: "", stderr: "" };

function recordOf(
  { ref }: ConfiguredHook,
  { round }: Firing,
  shown: Shown,
  { startedAt, durationMs }: Times,
): RunRecord {
  return {
    hook: ref,
    ended: shown.ended,
    verdict: { kind: "none" },
    startedAt,
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    stdout: shown.stdout,
    stderr: shown.stderr,
    ...(shown.droppedBytes ? { droppedBytes: shown.droppedBytes } : {}),
    background: shown.ended.by === "background",
    round,
  };
}
