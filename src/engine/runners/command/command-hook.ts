import { randomUUID } from "node:crypto";
import { onAbort } from "../../../exec/internal.ts";
import { type CommandHook, callHost, messageOf, type RunRecord, type Warning } from "../../../protocol/internal.ts";
import type { HookRun } from "../../fire/firing-event.ts";
import { type RunTimes, recordRun } from "../../fire/record-run.ts";
import type { WakeRequest } from "../../ports.ts";
import type { Services } from "../../services.ts";
import { endIfFilesChange, hookStartTrust, waitForStableFiles } from "../../trust/start-trust.ts";
import type { BackgroundAnswer, BackgroundJob, BackgroundRun } from "../background-hooks.ts";
import { type MaybeAsync, whenReady } from "../run-limits.ts";
import { type RunnerResult, resultNotStarted } from "../runner-result.ts";
import { type CommandRun, prepareFiles } from "./command-env.ts";
import type { AsyncNotice } from "./command-result.ts";
import { type OnBackground, type StartedCommand, startCommand } from "./start-command.ts";

/** A command hook, awaited or in the background. */
export function runCommand(hook: CommandHook, run: HookRun): MaybeAsync<RunnerResult | "background"> {
  const stable = waitForStableFiles(() => hookStartTrust(run.hook, run.event));
  return whenReady(stable, ({ why }) => {
    if (why !== "") return resultNotStarted(why);
    const prepared = prepareFiles(hook, run);
    return whenReady(prepared, (files) =>
      "failed" in files ? resultNotStarted(files.failed) : runPrepared({ ...run, command: hook, files }),
    );
  });
}

function runPrepared(run: CommandRun): MaybeAsync<RunnerResult | "background"> {
  const { event, timeoutMs } = run;
  // The host does not wait for a background hook, so nothing else would keep it from starting.
  if (event.signal.aborted) return neverBegun(run);
  if (!runsInBackground(run)) return runAwaited(run);
  const job = backgroundJob(run, timeoutMs);
  const begin = (): BackgroundRun => backgroundRun(job, run, start(run));
  event.services.background.start(job, begin, () => neverBegun(run));
  return "background";
}

/** Its files are removed as after a run. */
function neverBegun({ files }: CommandRun): MaybeAsync<RunnerResult> {
  const result: RunnerResult = { ...resultNotStarted("cancelled before it began"), ended: { by: "cancelled" } };
  return files.afterRun === undefined ? result : files.afterRun(result);
}

/** Waking needs the host's port: without it such a hook is awaited and its exit 2 blocks. */
function runsInBackground({ command, event: { waitsFor, services } }: CommandRun): boolean {
  if (waitsFor === "all") return false;
  if (command.asyncRewake) return services.options.ports.wake !== undefined;
  return command.async === true || waitsFor === "nothing";
}

/** Waits for one of the event's slots, then for the end of the hook or for the line that sends it into the background. */
function runAwaited(run: CommandRun): MaybeAsync<RunnerResult | "background"> {
  const slot = run.slots.take(run.event.signal);
  return whenReady(slot, (release) => (release === undefined ? neverBegun(run) : runInSlot(run, release)));
}

function runInSlot(run: CommandRun, release: () => void): Promise<RunnerResult | "background"> {
  const { signal, services, waitsFor } = run.event;
  const { timeout } = run.command;
  return new Promise((resolve) => {
    const onBackground = ({ timeoutMs, ignored }: AsyncNotice): void => {
      if (ignored.length > 0) services.warn(answeredInNotice(run, ignored));
      const limit = timeoutMs ?? (timeout === undefined ? selfSentMs : timeout * 1_000);
      started.running?.setDeadline(limit);
      services.background.adopt(backgroundRun(backgroundJob(run, limit), run, started));
      settle("background");
    };
    const started = start(run, waitsFor === "all" ? undefined : onBackground);
    const stopListening = onAbort(signal, () => started.running?.cancel());
    const stopWatching = watchProgress(run, started);
    const settle = (ran: RunnerResult | "background"): void => {
      stopListening();
      stopWatching();
      release();
      resolve(ran);
    };
    void started.done.then(settle);
  });
}

/**
 * Reports to the event's progress listener what a hook has printed so far, while it runs: at most once per interval, and only what is new.
 * Returns the end of it. Contract: what the listener throws is a warning and ends the reporting, nothing else.
 */
function watchProgress({ event, hook: { ref } }: HookRun, { running }: StartedCommand): () => void {
  const { progress, services } = event;
  if (progress === undefined || running === undefined) return () => undefined;
  let reported = 0;
  const timer = setInterval(() => {
    const { stdout, stderr } = running.soFar();
    if (stdout.length + stderr.length === reported) return;
    reported = stdout.length + stderr.length;
    callHost(() => progress.tell({ hook: ref, stdout, stderr }), onThrow);
  }, progress.everyMs);
  const onThrow = (error: unknown): void => {
    clearInterval(timer);
    const message = `The progress listener threw: ${messageOf(error)}`;
    services.warn({ code: "observer-threw", message, place: ref.id });
  };
  timer.unref();
  return () => clearInterval(timer);
}

/** A denial next to `async: true` would be lost without a trace. */
function answeredInNotice({ hook: { ref } }: HookRun, ignored: readonly string[]): Warning {
  const message = `Hook ${ref.name} went into the background with a line that also holds ${ignored.join(", ")}, which does not count. To decide, leave out async.`;
  return { code: "output-ignored", message, place: ref.id };
}

/** The limit of a hook that sent itself into the background and named none. */
const selfSentMs = 15_000;

function start(run: CommandRun, onBackground?: OnBackground): StartedCommand {
  // Files may have changed while the hook waited for its turn.
  const { why, marks } = hookStartTrust(run.hook, run.event);
  const started =
    why === ""
      ? endIfFilesChange(startCommand(run, onBackground), marks)
      : { done: Promise.resolve(resultNotStarted(why)), running: undefined };
  const { afterRun } = run.files;
  return afterRun === undefined ? started : { ...started, done: started.done.then(afterRun) };
}

function backgroundJob({ event: { payload, row, services }, hook }: HookRun, limitMs: number): BackgroundJob {
  const tool = payload["tool_name"];
  return {
    id: randomUUID(),
    hook: hook.ref,
    sessionId: String(payload["session_id"]),
    ...(typeof tool === "string" ? { toolName: tool } : {}),
    startedAt: services.clock.now(),
    limitMs,
    detached: row.awaited === "detached",
  };
}

function backgroundRun(job: BackgroundJob, run: CommandRun, started: StartedCommand): BackgroundRun {
  const { clock } = run.event.services;
  const startedAt = clock.now();
  const times = (): RunTimes => ({ startedAt, durationMs: clock.now() - startedAt });
  if (job.detached) started.running?.unref();
  return {
    ...job,
    startedAt,
    soFar: () => started.running?.soFar() ?? { stdout: "", stderr: "" },
    cancel: () => started.running?.cancel(),
    done: started.done.then((ran) => backgroundAnswer(job.id, run, ran, times())),
  };
}

/**
 * What still counts of a background hook's answer: context and messages, both as texts for the model. Its decisions came too late and are
 * dropped. On exit 2 a hook that may wake the agent does so instead.
 */
async function backgroundAnswer(
  id: string,
  run: CommandRun,
  ran: RunnerResult,
  times: RunTimes,
): Promise<BackgroundAnswer | undefined> {
  const { payload, occasion, services } = run.event;
  const { ref } = run.hook;
  // Its failure denies nothing any more, whatever its policy.
  const late: HookRun = { ...run, hook: { ...run.hook, onFailure: "continue" }, late: true };
  const { record, warnings } = await recordRun(late, ran, times);
  const wakesAgent = run.command.asyncRewake === true && ran.ended.by === "exit" && ran.ended.code === 2;
  for (const warning of [...warnings, ...cameTooLate(record, run.command, wakesAgent)]) services.warn(warning);
  const ended = { ...record, background: true };
  const sessionId = String(payload["session_id"]);
  services.backgroundEnded(id, ended, sessionId);
  if (ran.ended.by === "timeout" || ran.ended.by === "cancelled") return undefined;
  if (wakesAgent) {
    wake(services, { sessionId, hook: ref, occasion, text: ran.stderr.trim() || ran.stdout.trim() });
    return undefined;
  }
  const texts = [...(record.answer?.context ?? []), ...(record.answer?.messages ?? [])];
  return texts.length === 0 ? undefined : { id, hook: ref, occasion, texts, record: ended };
}

/** What only counts in an awaited hook. Reported because such a guard protects nothing. */
function cameTooLate({ hook: ref, verdict, answer }: RunRecord, hook: CommandHook, woke: boolean): readonly Warning[] {
  const late = [
    ...(verdict.kind === "none" || woke || answer?.failure !== undefined ? [] : [`its ${verdict.kind}`]),
    ...(answer?.input === undefined ? [] : ["its rewritten input"]),
    ...(answer?.stop === undefined ? [] : ["its continue: false"]),
  ];
  if (late.length === 0) return [];
  const way = hook.async ? " Leave out async to have it waited for." : "";
  const message = `Hook ${ref.name} ran in the background, so ${late.join(" and ")} came too late for ${ref.event} and does not count.${way}`;
  return [{ code: "output-ignored", message, place: ref.id }];
}

/** The port is code of the host: what it throws is a warning and affects nothing else. */
function wake({ options, warn }: Services, call: WakeRequest): void {
  callHost(
    () => options.ports.wake?.(call),
    (error) =>
      warn({ code: "observer-threw", message: `The wake port threw: ${messageOf(error)}`, place: call.hook.id }),
  );
}
