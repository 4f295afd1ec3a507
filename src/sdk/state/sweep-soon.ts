import { closeSync, openSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "../../files/internal.ts";
import type { World } from "../app/run-environment.ts";
import { startDetached } from "../start-detached.ts";

const dayMs = 24 * 3_600_000;

/**
 * Once a day a process of its own clears away old state; no hook waits for it. Called after a write, so a folder that nobody writes to
 * costs nobody anything. Contract: never throws.
 */
export async function sweepSoon(folder: string, world: World): Promise<void> {
  const stamp = join(folder, "swept");
  try {
    const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
    if (last !== undefined && last + dayMs > world.now()) return;
    if (last === undefined) closeSync(openSync(stamp, "a", 0o600));
    utimesSync(stamp, new Date(world.now()), new Date(world.now()));
    // In a new folder nothing can be old.
    if (last === undefined) return;
    const onError = (error: Error) => world.complain(`Old state could not be cleared away: ${error.message}`);
    const program = packageFile("dist/sdk/state/sweeper.js");
    await startDetached([program, folder], { cwd: folder, env: world.env, onError });
  } catch (error) {
    world.complain(`Old state could not be cleared away: ${String(error)}`);
  }
}
