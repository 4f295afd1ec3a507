import { attempt } from "../../protocol/internal.ts";

let limit: { readonly at: number; readonly onLate: () => void } | undefined;
let isPatched = false;

/**
 * Ends child processes that this thread waits for, as `execSync` does, after `ms`, and then calls back: meanwhile no other thread can
 * interrupt this one. Returns a function that lifts the limit.
 */
export function limitSyncChildren(ms: number, onLate: () => void): () => void {
  limit = { at: performance.now() + ms, onLate };
  if (!isPatched) patchSpawn();
  isPatched = true;
  return () => {
    limit = undefined;
  };
}

/** How Node starts such a process, below `node:child_process`. */
interface SyncBinding {
  spawn(options: { readonly timeout?: number | null }, ...rest: unknown[]): unknown;
}

function patchSpawn(): void {
  // A Node that does not expose it: such children have no limit.
  const binding = attempt(() => (process as unknown as { binding(name: string): SyncBinding }).binding("spawn_sync"));
  if (binding === undefined) return;
  const spawn = binding.spawn.bind(binding);
  binding.spawn = (options, ...rest) => {
    if (limit === undefined) return spawn(options, ...rest);
    const { at, onLate } = limit;
    const timeout = Math.max(1, Math.ceil(at - performance.now()));
    if ((options.timeout || Number.POSITIVE_INFINITY) <= timeout) return spawn(options, ...rest);
    const ended = spawn({ ...options, timeout, killSignal: sigkill } as typeof options, ...rest);
    if (performance.now() >= at) onLate();
    return ended;
  };
}

const sigkill = 9;
