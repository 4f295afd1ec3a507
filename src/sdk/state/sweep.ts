import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { takeLock, unless } from "../../files/internal.ts";

/** Session state is kept for so long after its last write. */
export const keptMs: number = 30 * 24 * 3_600_000;

/**
 * Removes the state of sessions that nobody wrote for thirty days, and what was put aside as unreadable as long ago.
 * Contract: a file that is in use, or was written meanwhile, stays.
 */
export async function sweepState(folder: string, now: number): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const scope of ["session", "told"]) {
    for (const name of (await unless(["ENOENT"], readdir(join(folder, scope)))) ?? []) {
      const file = join(folder, scope, name);
      if (!/\.json(?:\.unreadable-\d+)?$/.test(name) || !(await isOld(file, now))) continue;
      const lock = await takeLock(file, { waitMs: 0 });
      if (!lock.held) continue;
      try {
        if (!(await isOld(file, now))) continue;
        await unlink(file);
        gone.push(name);
      } finally {
        await lock.release();
      }
    }
  }
  return gone;
}

async function isOld(file: string, now: number): Promise<boolean> {
  const found = await unless(["ENOENT"], stat(file));
  return found !== undefined && found.mtimeMs + keptMs < now;
}
