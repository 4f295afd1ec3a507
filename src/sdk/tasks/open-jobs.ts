import { stat } from "node:fs/promises";
import { takeLock, unless } from "../../files/internal.ts";
import { queueFolder } from "./default-queue.ts";
import { namesIn } from "./job-files.ts";
import { workerLock } from "./start-worker.ts";

/** Whether a worker has jobs of this hooks file in hand, of whatever session. Jobs that nobody works on do not count. */
export async function hasOpenJobs(file: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const folder = queueFolder(file, env);
  if ((await unless(["ENOENT"], stat(folder))) === undefined) return false;
  const open = namesIn(folder, "pending").length + namesIn(folder, "running").length;
  if (open === 0) return false;
  const lock = await takeLock(workerLock(folder), { waitMs: 0 });
  if (lock.held) await lock.release();
  return !lock.held;
}
