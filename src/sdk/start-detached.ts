import type { DetachedOptions } from "./run/detached-process.ts";

/** Starts a Node program that outlives us. Loaded when it is called: a hook process has no use for what it takes. */
export async function startDetached(command: readonly [string, ...string[]], options: DetachedOptions): Promise<void> {
  (await import("./run/detached-process.ts")).startDetached(command, options);
}
