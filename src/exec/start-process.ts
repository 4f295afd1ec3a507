import type { CommandLine } from "./command-line.ts";
import type { Ended, Finished } from "./finished.ts";
import { launch } from "./launch.ts";
import type { Running, StartOptions } from "./process-run.ts";
import { follow } from "./supervise.ts";

/** Starts a process and waits for its end. */
export function run(command: CommandLine, options: StartOptions): Promise<Finished> {
  return start(command, options).done;
}

/** Starts one process in a session of its own. Contract: never throws for what a process, or the lack of one, does. */
export function start(command: CommandLine, options: StartOptions): Running {
  const { now = realNow } = options;
  const startedAt = now();
  const elapsedMs = (): number => now() - startedAt;
  if (options.signal?.aborted) return neverStarted(Promise.resolve({ by: "cancelled" }), elapsedMs);
  const launched = launch(command, options);
  if ("failure" in launched) return neverStarted(launched.failure, elapsedMs);
  return follow(launched, options, elapsedMs);
}

const realNow = (): number => performance.now();

function neverStarted(failure: Promise<Ended>, elapsedMs: () => number): Running {
  const nothing = { text: "", droppedBytes: 0 };
  return {
    pid: undefined,
    done: failure.then((ended) => ({ ended, stdout: nothing, stderr: nothing, durationMs: elapsedMs(), leaked: [] })),
    write: ignored,
    endInput: ignored,
    pauseDeadline: ignored,
    resumeDeadline: ignored,
    setDeadline: ignored,
    cancel: ignored,
    soFar: () => ({ stdout: "", stderr: "" }),
    unref: ignored,
  };
}

function ignored(): void {
  // There is no process that this could reach.
}
