/** Reserves standard output for the answer: what hooks and their child processes print goes to stderr. */
export function reserveStdout(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true, enumerable: true });
  redirectChildren();
}

/**
 * Gives stderr to child processes that inherit standard output. Patches the bindings below `node:child_process`, since loading that
 * module would slow down every start and few hooks start programs.
 */
function redirectChildren(): void {
  type Binding = (name: string) => Record<string, never>;
  try {
    const binding = (process as unknown as { binding: Binding }).binding.bind(process) as Binding;
    const { Process } = binding("process_wrap") as unknown as { Process: { prototype: { spawn: Spawn } } };
    const sync = binding("spawn_sync") as unknown as { spawn: Spawn };
    Process.prototype.spawn = redirectToStderr(Process.prototype.spawn);
    sync.spawn = redirectToStderr(sync.spawn);
  } catch {
    return; // this Node does not expose them: children keep standard output
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
