import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { CommandHook } from "../../protocol/index.ts";
import type { BackgroundJob, BackgroundRun } from "../background.ts";
import type { ConfiguredHook } from "../configured.ts";
import type { Firing, World } from "../firing.ts";
import type { Ran } from "../ran.ts";
import type { OneLimits } from "../run-one.ts";
import { remainingMs } from "../timeouts.ts";
import { backgroundAnswer } from "./command/background-answer.ts";
import { type PreparedFiles, prepareFiles } from "./command/prepare-files.ts";
import { type CommandCall, type StartedCommand, startCommand } from "./command/start.ts";
import { notStarted } from "./ended.ts";

/** One command hook of one event, with all it takes to run it. */
export interface CommandJob {
  readonly configured: ConfiguredHook;
  readonly hook: CommandHook;
  readonly firing: Firing;
  readonly world: World;
  readonly limits: OneLimits;
}

/** A command hook, awaited or in the background. */
export async function runCommand(job: CommandJob): Promise<Ran | "background"> {
  const files = await prepareFiles(job);
  if ("failed" in files) return notStarted(files.failed);
  if (!runsInBackground(job)) return runAwaited(job, files);
  const due = backgroundJob(job, job.limits.timeoutMs);
  job.world.background.start(due, () => startInBackground(due, job, files));
  return "background";
}

/** Waking needs somebody to wake: without a port, or headless, such a hook is awaited and its exit 2 blocks. */
function runsInBackground({ hook, firing, world }: CommandJob): boolean {
  if (firing.forceSync) return false;
  if (hook.asyncRewake) return world.ports.wake !== undefined && world.interactive;
  return hook.async === true || firing.unawaited;
}

function startInBackground(due: BackgroundJob, job: CommandJob, files: PreparedFiles): BackgroundRun {
  const ending = new AbortController();
  const started = startJob(job, files, { signal: ending.signal });
  return backgroundRun(due, job, started, ending);
}

/** Waits for one of the event's places, then for the end of the hook or for the line that sends it into the background. */
async function runAwaited(job: CommandJob, files: PreparedFiles): Promise<Ran | "background"> {
  const { hook, firing, world, limits } = job;
  const release = await limits.slots.take(firing.signal);
  if (release === undefined) return { ...notStarted("cancelled before it began"), ended: { by: "cancelled" } };
  const ending = new AbortController();
  const cancel = (): void => ending.abort(firing.signal.reason);
  // Many hooks waiting on one event's signal are no leak.
  setMaxListeners(0, firing.signal);
  firing.signal.addEventListener("abort", cancel, { once: true });

  let wentOff: () => void;
  const background = new Promise<"background">((resolve) => {
    wentOff = () => resolve("background");
  });
  const onBackground = (asked: number | undefined): void => {
    const limit = asked ?? (hook.timeout === undefined ? selfSentMs : hook.timeout * 1_000);
    started.running?.setDeadline(limit);
    world.background.adopt(backgroundRun(backgroundJob(job, limit), job, started, ending));
    wentOff();
  };
  const started = startJob(job, files, { signal: ending.signal, ...(firing.forceSync ? {} : { onBackground }) });

  const ran = await Promise.race([started.done, background]);
  firing.signal.removeEventListener("abort", cancel);
  release();
  return ran;
}

/** The limit of a hook that sent itself into the background and named none. */
const selfSentMs = 15_000;

function startJob(job: CommandJob, files: PreparedFiles, options: StartOptions): StartedCommand {
  // Files may have changed while the hook waited for its turn.
  const untrusted = job.firing.whyNotTrusted(job.configured);
  const started =
    untrusted === ""
      ? startTrusted(job, files, options)
      : { done: Promise.resolve(notStarted(untrusted)), running: undefined };
  return files.afterRun === undefined ? started : { ...started, done: started.done.then(files.afterRun) };
}

type StartOptions = Pick<CommandCall, "signal" | "onBackground">;

function startTrusted(
  { configured, hook, firing, world, limits }: CommandJob,
  files: PreparedFiles,
  options: StartOptions,
): StartedCommand {
  const env = firing.environmentOf(configured);
  return startCommand(hook, {
    ref: configured.ref,
    payload: firing.payload,
    line: limits.line,
    env,
    extra: files.variables,
    plugin: configured.layer.plugin,
    projectDir: world.projectDir,
    home: world.home,
    depth: firing.depth,
    runId: runId(env["HOOKLINE_RUN"]),
    timeoutMs: remainingMs(limits),
    graceMs: firing.row.special.budget?.graceMs,
    ask: world.ask,
    ...options,
  });
}

function backgroundJob({ configured, firing, world }: CommandJob, limitMs: number): BackgroundJob {
  const tool = firing.payload["tool_name"];
  return {
    id: randomUUID(),
    hook: configured.ref,
    sessionId: String(firing.payload["session_id"]),
    ...(typeof tool === "string" ? { toolName: tool } : {}),
    startedAt: world.clock.now(),
    limitMs,
    detached: firing.row.awaited === "detached",
  };
}

function backgroundRun(
  due: BackgroundJob,
  job: CommandJob,
  started: StartedCommand,
  ending: AbortController,
): BackgroundRun {
  const { clock } = job.world;
  const startedAt = clock.now();
  if (due.detached) started.running?.unref();
  return {
    ...due,
    startedAt,
    soFar: () => started.running?.soFar() ?? { stdout: "", stderr: "" },
    cancel: () => ending.abort(),
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
