import { writeFully } from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import type { FailureMode, WireAnswer } from "../../sdk/internal.ts";

/** Reserves standard output for the answer: what hooks and their child processes print goes to stderr. */
export function reserveStdout(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true, enumerable: true });
  redirect();
}

let isAnswer = false;

/** Returns the exit code. A denial that could not be written would have no effect, so under `block` the exit code denies. */
export function printAnswer({ stdout, stderr, exitCode }: WireAnswer, mode: FailureMode): number {
  writeFully(2, stderr);
  isAnswer = true;
  const isWritten = attempt(() => writeFully(1, stdout));
  isAnswer = false;
  if (isWritten) return exitCode;
  warn(`the answer could not be written to standard output${mode === "block" ? "; denied" : ""}`);
  return mode === "block" ? 2 : exitCode;
}

export function warn(line: string): void {
  writeFully(2, `hookline: ${line}\n`);
}

/**
 * Gives stderr to what writes to the descriptor of standard output, and to child processes that inherit it. Patches the bindings below
 * `node:fs` and `node:child_process`: loading the latter would slow down every start, and few hooks start programs.
 */
function redirect(): void {
  type Binding = (name: string) => Record<string, never>;
  try {
    const binding = (process as unknown as { binding: Binding }).binding.bind(process) as Binding;
    const fs = binding("fs") as unknown as Record<string, (...given: unknown[]) => unknown>;
    for (const name of ["writeString", "writeBuffer", "writeBuffers", "writeFileUtf8"]) {
      const write = fs[name];
      // Not every Node has each of them.
      if (write) fs[name] = (fd, ...given) => write(fd === 1 && !isAnswer ? 2 : fd, ...given);
    }
    const { Process } = binding("process_wrap") as unknown as { Process: { prototype: { spawn: Spawn } } };
    const sync = binding("spawn_sync") as unknown as { spawn: Spawn };
    Process.prototype.spawn = redirectToStderr(Process.prototype.spawn);
    sync.spawn = redirectToStderr(sync.spawn);
  } catch {
    return; // this Node does not expose them: they keep standard output
  }
}

/** How Node starts a child process, below `node:child_process`. */
type Spawn = (this: unknown, ...given: unknown[]) => unknown;

type Streams = readonly ({ fd?: number } | undefined)[];

/**
 * A spawn function that replaces standard output by stderr in the streams of the child, and passes on everything else. The streams are an
 * argument of their own since Node 24; before, they were part of the first one.
 */
export function redirectToStderr(spawn: Spawn): Spawn {
  return function (this: unknown, ...given) {
    for (const value of given) {
      for (const stream of streamsIn(value)) if (stream?.fd === 1) stream.fd = 2;
    }
    return spawn.apply(this, given);
  };
}

function streamsIn(value: unknown): Streams {
  const streams = Array.isArray(value) ? value : (value as { stdio?: unknown } | undefined)?.stdio;
  return Array.isArray(streams) ? streams : [];
}
