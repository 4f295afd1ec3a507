import { writeSync } from "node:fs";

/**
 * Keeps standard output for the answer alone: what hooks print, and what their children print, goes to stderr.
 * Streams are touched only when somebody uses them.
 */
export function guardStdout(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true, enumerable: true });
  guardChildren();
}

/**
 * Contract: the whole text is handed over when it returns, however slow the reader; a reader that went away is no error. Nor is a stderr
 * that takes nothing, such as a file on a full disk: the answer counts, and there is no place left to tell.
 */
export function writeWhole(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE" || (fd === 2 && code !== "EAGAIN")) return;
      if (code !== "EAGAIN") throw error;
      // The pipe is full and does not block by itself.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/**
 * Children that inherit our standard output get stderr instead. Done beneath `node:child_process`, because loading that module costs
 * every start, and only a few hooks start programs.
 */
function guardChildren(): void {
  type Lend = (name: string) => Record<string, never>;
  try {
    const lend = (process as unknown as { binding: Lend }).binding.bind(process) as Lend;
    const { Process } = lend("process_wrap") as unknown as { Process: { prototype: { spawn: Spawn } } };
    const sync = lend("spawn_sync") as unknown as { spawn: Spawn };
    Process.prototype.spawn = toStderr(Process.prototype.spawn);
    sync.spawn = toStderr(sync.spawn);
  } catch {
    return; // a Node that does not lend it: children then write where they always did
  }
}

/** How Node starts a child, beneath `node:child_process`. */
type Spawn = (this: unknown, ...given: unknown[]) => unknown;

type Streams = readonly ({ fd?: number } | undefined)[];

/**
 * The same, with stderr for every stream of the child that would be our standard output.
 * Contract: whatever else is handed over goes on as it came. The list of streams is a value of its own since Node 24 and was a part of
 * the first one before.
 */
export function toStderr(spawn: Spawn): Spawn {
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
