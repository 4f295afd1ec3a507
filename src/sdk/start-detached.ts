import type { DetachedOptions } from "./detached.ts";

/** Starts a Node program that outlives us. Loaded when it is called: a hook process has no use for what it takes. */
export async function startDetached(command: readonly [string, ...string[]], options: DetachedOptions): Promise<void> {
  (await import("./detached.ts")).startDetached(command, options);
}
