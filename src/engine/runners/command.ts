import { randomUUID } from "node:crypto";
import { onAbort } from "../../exec/index.ts";
import type { CommandHook, Warning } from "../../protocol/index.ts";
import type { BackgroundJob, BackgroundRun } from "../background.ts";
import type { ConfiguredHook } from "../configured.ts";
import type { Firing } from "../firing.ts";
import type { Ran } from "../ran.ts";
import type { OneLimits } from "../run-one.ts";
import { type Soon, soon } from "../soon.ts";
import { remainingMs } from "../timeouts.ts";
import { whenSteady } from "../trust/unchanged.ts";
import type { Services } from "../world.ts";
import { backgroundAnswer } from "./command/background-answer.ts";
import type { AsyncNotice } from "./command/first-line.ts";
import { type PreparedFiles, prepareFiles } from "./command/prepare-files.ts";
import { watchProgress } from "./command/progress.ts";
import { type CommandCall, type StartedCommand, startCommand } from "./command/start.ts";
import { endIfSwapped } from "./command/swapped.ts";
import { notStarted } from "./ended.ts";

/** One command hook of one event, with all it takes to run it. */
export interface CommandJob {
  readonly configured: ConfiguredHook;
  readonly hook: CommandHook;
  readonly firing: Firing;
  readonly services: Services;
  readonly limits: OneLimits;
}

/** A command hook, awaited or in the background. */
export function runCommand(job: CommandJob): Soon<Ran | "background"> {
  return soon(
    whenSteady(() => job.firing.startTrust(job.configured)),
    ({ why }) =>
      why !== ""
        ? notStarted(why)
        : soon(prepareFiles(job), (files) => ("failed" in files ? notStarted(files.failed) : runPrepared(job, files))),
  );
}

function runPrepared(job: CommandJob, files: PreparedFiles): Soon<Ran | "background"> {
  // Nobody waits for a background hook, so nobody else would keep it from starting.
  if (job.firing.signal.aborted) return neverBegun;
  if (!runsInBackground(job)) return runAwaited(job, files);
  const due = backgroundJob(job, job.limits.timeoutMs);
  job.services.background.start(due, () => startInBackground(due, job, files));
  return "background";
}

const neverBegun: Ran = { ...notStarted("cancelled before it began"), ended: { by: "cancelled" } };

/** Waking needs the host's port: without it such a hook is awaited and its exit 2 blocks. */
function runsInBackground({ hook, firing, services }: CommandJob): boolean {
  if (firing.forceSync) return false;
  if (hook.asyncRewake) return services.options.ports.wake !== undefined;
  return hook.async === true || firing.unawaited;
}

function startInBackground(due: BackgroundJob, job: CommandJob, files: PreparedFiles): BackgroundRun {
  return backgroundRun(due, job, startJob(job, files));
}

/** Waits for one of the event's places, then for the end of the hook or for the line that sends it into the background. */
function runAwaited(job: CommandJob, files: PreparedFiles): Soon<Ran | "background"> {
  return soon(job.limits.slots.take(job.firing.signal), (release) => {
    if (release === undefined) return neverBegun;
    return runInPlace(job, files, release);
  });
}

function runInPlace(job: CommandJob, files: PreparedFiles, release: () => void): Promise<Ran | "background"> {
  const { hook, firing, services } = job;
  return new Promise((resolve) => {
    const onBackground = ({ timeoutMs, ignored }: AsyncNotice): void => {
      if (ignored.length > 0) services.warn(answeredInNotice(job, ignored));
      const limit = timeoutMs ?? (hook.timeout === undefined ? selfSentMs : hook.timeout * 1_000);
      started.running?.setDeadline(limit);
      services.background.adopt(backgroundRun(backgroundJob(job, limit), job, started));
      settle("background");
    };
    const started = startJob(job, files, firing.forceSync ? undefined : onBackground);
    const stopListening = onAbort(firing.signal, () => started.running?.cancel());
    const stopWatching = watchProgress(job, started);
    const settle = (ran: Ran | "background"): void => {
      stopListening();
      stopWatching();
      release();
      resolve(ran);
    };
    void started.done.then(settle);
  });
}

/** A denial beside `async: true` would be lost without a trace. */
function answeredInNotice({ configured: { ref } }: CommandJob, ignored: readonly string[]): Warning {
  const message = `Hook ${ref.name} went into the background with a line that also holds ${ignored.join(", ")}, which does not count. To decide, leave out async.`;
  return { code: "output-ignored", message, place: ref.id };
}

/** The limit of a hook that sent itself into the background and named none. */
const selfSentMs = 15_000;

function startJob(job: CommandJob, files: PreparedFiles, onBackground?: CommandCall["onBackground"]): StartedCommand {
  // Files may have changed while the hook waited for its turn.
  const { why, marks } = job.firing.startTrust(job.configured);
  const started =
    why === ""
      ? endIfSwapped(startTrusted(job, files, onBackground), marks)
      : { done: Promise.resolve(notStarted(why)), running: undefined };
  return files.afterRun === undefined ? started : { ...started, done: started.done.then(files.afterRun) };
}

function startTrusted(
  { configured, hook, firing, services, limits }: CommandJob,
  files: PreparedFiles,
  onBackground: CommandCall["onBackground"],
): StartedCommand {
  const env = firing.environmentOf(configured);
  return startCommand(hook, {
    ref: configured.ref,
    payload: firing.payload,
    line: limits.line,
    env,
    extra: files.variables,
    plugin: configured.layer.plugin,
    projectDir: services.options.cwd,
    home: services.options.home,
    depth: firing.depth,
    runId: runId(env["HOOKLINE_RUN"]),
    timeoutMs: remainingMs(limits),
    graceMs: firing.row.special.budget?.graceMs,
    ask: services.ask,
    ...(onBackground === undefined ? {} : { onBackground }),
  });
}

function backgroundJob({ configured, firing, services }: CommandJob, limitMs: number): BackgroundJob {
  const tool = firing.payload["tool_name"];
  return {
    id: randomUUID(),
    hook: configured.ref,
    sessionId: String(firing.payload["session_id"]),
    ...(typeof tool === "string" ? { toolName: tool } : {}),
    startedAt: services.clock.now(),
    limitMs,
    detached: firing.row.awaited === "detached",
  };
}

function backgroundRun(due: BackgroundJob, job: CommandJob, started: StartedCommand): BackgroundRun {
  const { clock } = job.services;
  const startedAt = clock.now();
  if (due.detached) started.running?.unref();
  return {
    ...due,
    startedAt,
    soFar: () => started.running?.soFar() ?? { stdout: "", stderr: "" },
    cancel: () => started.running?.cancel(),
    done: started.done.then((ran) =>
      backgroundAnswer(due.id, job, ran, { startedAt, durationMs: clock.now() - startedAt }),
    ),
  };
}

/** A run inside a run carries both tags, so that ending the outer one finds the inner one too. */
function runId(outer: string | undefined): string {
  const own = randomUUID();
  return outer ? `${outer}/${own}` : own;
}
