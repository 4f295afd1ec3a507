import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeLock } from "../../files/index.ts";
import { startDetached } from "../detached.ts";
import type { WakeCall } from "./backend.ts";
import { namesIn } from "./job-file.ts";

/** Starts a worker for a queue unless one runs or there is nothing to do. It outlives this process and holds nothing of it. */
export async function startWorker(folder: string, { file, env, cwd, logger }: WakeCall): Promise<void> {
  if (file === undefined || !(await isWork(folder)) || (await isWorked(folder))) return;
  startDetached([fileURLToPath(new URL("./worker.js", import.meta.url)), file], {
    cwd,
    env,
    onError: (error) => logger("worker").error(`It could not be started: ${error.message}`),
  });
}

/** The lock a worker holds as long as it works. */
export function workerLock(folder: string): string {
  return join(folder, "worker");
}

/** A running job of which nobody takes care is one whose worker died. */
async function isWork(folder: string): Promise<boolean> {
  return (await namesIn(folder, "pending")).length > 0 || (await namesIn(folder, "running")).length > 0;
}

async function isWorked(folder: string): Promise<boolean> {
  const lock = await takeLock(workerLock(folder), { waitMs: 0 });
  if (!lock.held) return true;
  await lock.release();
  return false;
}
