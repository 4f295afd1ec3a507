import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { endTree, endTreeOnWindows, survivorsOf } from "./end-tree.ts";
import { type Capture, capture, captureLines } from "./output-capture.ts";
import { hasSurvivors } from "./process-list.ts";
import type { FinishedProcess, ProcessEnd, ProcessOptions, RunningProcess, SurvivingProcess } from "./process-run.ts";

/** Feeds a started process, captures its output, and settles at its exit or its time limit, whichever comes first. */
export function supervise(
  { child, pid }: SpawnedProcess,
  options: ProcessOptions,
  elapsedMs: () => number,
): RunningProcess {
  const { input, keepInputOpen = false, capBytes = defaultCapBytes, graceMs = defaultGraceMs, signal } = options;
  const { drainMs = defaultDrainMs } = options;
  const { stdin, stdout, stderr } = child;
  const pipes = [stdin, stdout, stderr];
  const out = capture(capBytes);
  const err = capture(capBytes);
  const lines = options.onLine && captureLines(out, options.onLine);
  const deadline = startPausableDeadline(options.timeoutMs, () => end({ by: "timeout", afterMs: deadline.limitMs }));
  const cancel = (): void => end({ by: "cancelled" });
  let exit: ProcessEnd | undefined;
  const openStreams = new Set<Readable>([stdout, stderr]);
  let ending = false;
  let looking = false;
  let lastWait: NodeJS.Timeout | undefined;
  let resolveDone: ((finished: FinishedProcess) => void) | undefined;
  const done = new Promise<FinishedProcess>((resolve) => {
    resolveDone = resolve;
  });

  const stopListening = signal && onAbort(signal, cancel);
  for (const pipe of pipes) pipe.on("error", brokenPipe);
  drainStream(stdout, out, lines?.add ?? out.add);
  drainStream(stderr, err, err.add);
  for (const stream of openStreams) {
    for (const event of ["end", "close"]) stream.on(event, () => streamEnded(stream));
  }
  child.once("exit", (code, by) => {
    exit = code === null ? { by: "signal", signal: by ?? "unknown" } : { by: "exit", code };
    deadline.clear();
    if (ending) return;
    if (openStreams.size === 0) return settleAtExit();
    // A process that inherited the pipes may hold them forever. Output that came in time is read even if this process was busy until now:
    // timers run before reading, `setImmediate` after it.
    lastWait = setTimeout(() => setImmediate(settleAtExit), drainMs);
  });
  if (!keepInputOpen) stdin.end(input);
  else if (input !== undefined) stdin.write(input);

  /** "end" comes before "close", so there is no need to wait for it; a broken pipe closes without "end". */
  function streamEnded(stream: Readable): void {
    if (openStreams.delete(stream) && openStreams.size === 0 && !ending) settleAtExit();
  }

  function settleAtExit(): void {
    if (exit === undefined || looking) return;
    const ended = exit;
    if (!options.reportLeftBehind || !hasSurvivors(pid)) {
      settle(ended, []);
      return;
    }
    looking = true;
    void survivorsOf({ pid, tag: options.tag }).then((left) => settle(ended, left));
  }

  function end(how: ProcessEnd): void {
    if (exit !== undefined || ending) return;
    ending = true;
    deadline.clear();
    lastWait = setTimeout(settle, settleByMs, how, [{ why: "survived", pid, name: "" }]);
    void endAll(how);
  }

  async function endAll(how: ProcessEnd): Promise<void> {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const tree = { pid, tag: options.tag, exited: () => exit !== undefined, exit: exited };
    const leaked = await (process.platform === "win32" ? endTreeOnWindows : endTree)(
      tree,
      Math.min(graceMs, maxGraceMs),
    );
    if (leaked.length === 0 && openStreams.size > 0) {
      await Promise.race([new Promise((resolve) => child.once("close", resolve)), sleep(drainMs)]);
    }
    // All known processes have ended, but the pipes are still open.
    settle(how, leaked.length === 0 && openStreams.size > 0 ? [{ why: "holds-output" }] : leaked);
  }

  function settle(ended: ProcessEnd, leaked: readonly SurvivingProcess[]): void {
    if (resolveDone === undefined) return;
    const resolve = resolveDone;
    resolveDone = undefined;
    clearTimeout(lastWait);
    deadline.clear();
    lines?.stop();
    stopListening?.();
    if (exit === undefined) child.unref();
    // After a normal exit the pipes close by themselves.
    if (exit === undefined || openStreams.size > 0) for (const pipe of pipes) pipe.destroy();
    resolve({ ended, stdout: out.output(), stderr: err.output(), durationMs: elapsedMs(), leaked });
  }

  return {
    pid,
    done,
    write(text) {
      if (stdin.writable) stdin.write(text);
    },
    endInput: () => void stdin.end(),
    pauseDeadline: deadline.pause,
    resumeDeadline: deadline.resume,
    setDeadline: deadline.set,
    cancel,
    soFar: () => ({ stdout: out.text(), stderr: err.text() }),
    unref() {
      child.unref();
      deadline.unref();
      for (const pipe of pipes) if (pipe instanceof Socket) pipe.unref();
    },
  };
}

const defaultCapBytes = 2 ** 20;
const defaultGraceMs = 1_500;
const maxGraceMs = 2_000;
const defaultDrainMs = 250;
const settleByMs = 2_900;

function brokenPipe(): void {
  // The other end was closed: a process may ignore its input, and a killed one cannot read it.
}

/**
 * Reads a stream to its end, whatever its size. `add` puts each chunk into `kept`.
 * Once the cap is reached a flood is read with short pauses, so that garbage collection keeps up and other work gets its turn.
 */
function drainStream(stream: Readable, kept: Capture, add: (chunk: Buffer) => void): void {
  let droppedAtRest = 0;
  stream.on("data", (chunk: Buffer) => {
    add(chunk);
    if (kept.droppedBytes - droppedAtRest < restAfterBytes) return;
    droppedAtRest = kept.droppedBytes;
    stream.pause();
    setTimeout(() => stream.resume(), restMs);
  });
}

/** Pauses are few, because on a busy machine each may last much longer than requested. */
const restAfterBytes = 8 * 2 ** 20;
const restMs = 1;

export interface SpawnedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
}

/** A time limit that can be changed and paused. The clock runs again when `resume` was called as often as `pause`. */
export function startPausableDeadline(limitMs: number, onPassed: () => void) {
  let limit = limitMs;
  let remaining = limitMs;
  let since = performance.now();
  let pauses = 0;
  let over = false;
  let refed = true;
  let timer: NodeJS.Timeout | undefined;
  arm();

  function arm(): void {
    since = performance.now();
    timer = setTimeout(fire, Math.min(Math.max(remaining, 0), maxTimerMs));
    if (!refed) timer.unref();
  }

  function fire(): void {
    remaining -= performance.now() - since;
    // A timer may be a millisecond early, and a limit may be longer than any timer.
    if (remaining > 1) {
      arm();
      return;
    }
    over = true;
    // The process may have ended in time while this one was busy: its exit is read before this runs.
    setImmediate(onPassed);
  }

  function clear(): void {
    clearTimeout(timer);
    over = true;
  }

  return {
    get limitMs() {
      return limit;
    },
    pause(): void {
      if (over || pauses++ > 0) return;
      clearTimeout(timer);
      remaining -= performance.now() - since;
    },
    resume(): void {
      if (over || pauses === 0 || --pauses > 0) return;
      arm();
    },
    set(newLimitMs: number): void {
      if (over) return;
      clearTimeout(timer);
      limit = newLimitMs;
      remaining = newLimitMs;
      if (pauses === 0) arm();
    },
    unref(): void {
      refed = false;
      timer?.unref();
    },
    clear,
  };
}

/** Node timers count milliseconds in 31 bits; a longer delay fires immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls back when the signal is aborted; returns a function that cancels this. All callbacks of one signal share one listener. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // Node warns of a leak when a signal has more than ten listeners, and that many runs under one signal are common.
  const callbacks = waiting.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** The listener stays as long as the signal: most are reused immediately, and it holds only this set. */
function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  signal.addEventListener("abort", () => callbacks.forEach((callback) => void callback()), { once: true });
  return callbacks;
}
