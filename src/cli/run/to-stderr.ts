/** How Node starts a child, beneath `node:child_process`. */
export type Spawn = (this: unknown, ...given: unknown[]) => unknown;

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
