import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { directFs as fs, lifeOf, replaceFile, unless } from "../../files/internal.ts";
import { type JobName, namesIn, readJob } from "./job-files.ts";
import { workerLost } from "./task-backend.ts";

export interface RecoverOptions {
  readonly leaseMs: number;
  readonly now: () => number;
  readonly wanted: (name: JobName) => boolean;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Settles running jobs whose worker is gone: they wait again while tries are left, else they have failed. A worker is gone when its
 * process is, or when it gave no sign for the length of a lease. Called with the queue's lock held.
 */
export async function recover(folder: string, options: RecoverOptions): Promise<void> {
  const { leaseMs, now, wanted, wait = sleep } = options;
  for (const name of namesIn(folder, "running").filter(wanted)) {
    const file = join(folder, "running", name.file);
    const beatAt = (await unless(["ENOENT"], fs.lstat(file)))?.mtimeMs;
    const job = await readJob(file);
    if (job === undefined || beatAt === undefined) continue;
    const { owner, ...record } = job;
    if (owner === undefined && record.state !== "running") {
      // Killed on the way here or on the way out; what the file says is where it belongs.
      await settle(folder, name, record.state === "pending" ? "pending" : "done");
      continue;
    }
    /** A machine that slept through a lease wakes its workers as well; they are given a moment to show it. */
    const isLate = async (): Promise<boolean> => {
      if (beatAt + leaseMs > now()) return false;
      await wait(Math.min(500, leaseMs));
      return (await unless(["ENOENT"], fs.lstat(file)))?.mtimeMs === beatAt;
    };
    if (owner !== undefined && lifeOf(owner) !== "dead" && !(await isLate())) continue;
    const again = record.begun < record.attempts;
    const next = again
      ? { ...record, state: "pending" }
      : { ...record, state: "failed", error: workerLost, endedAt: now() };
    await replaceFile(file, `${JSON.stringify(next)}\n`, { fs });
    await settle(folder, name, again ? "pending" : "done");
  }
}

async function settle(folder: string, name: JobName, state: "pending" | "done"): Promise<void> {
  await fs.rename(join(folder, "running", name.file), join(folder, state, `${name.base}.json`));
}

/** Removes results whose time is long over. For workers: no hook process waits for it. */
export async function sweepDone(folder: string, now: number): Promise<void> {
  for (const name of namesIn(folder, "done")) {
    const file = join(folder, "done", name.file);
    const job = await readJob(file);
    if (job?.endedAt === undefined || now < job.endedAt + job.ttlMs + expiredMs) continue;
    await unless(["ENOENT"], fs.unlink(file));
  }
}

/** For so long `get` still says that there was a result. */
const expiredMs = 3_600_000;
