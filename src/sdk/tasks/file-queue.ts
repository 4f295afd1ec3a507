import { existsSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { syncBackedFs as fs, ignoringErrors, openFolder, ownIdentity, withLock } from "../../files/internal.ts";
import { lazy } from "../../protocol/internal.ts";
import {
  hasOpen,
  type JobFolder,
  type JobName,
  jobFolders,
  jobNames,
  keyHash,
  moveJob,
  newJobId,
  newJobName,
  readJob,
  recoverJobs,
  type StoredJob,
  sessionHash,
  writeJob,
} from "./job-files.ts";
import {
  type BackendOptions,
  backendDefaults,
  type ClaimedJob,
  endedRecord,
  type JobScope,
  type TaskBackend,
  type TaskRecord,
  tooManyJobs,
  type WorkerRequest,
  withExpiry,
} from "./task-backend.ts";

export interface QueueOptions extends BackendOptions {
  /** Makes or checks the parent folder of the queue. Default: only the queue's own folder is checked. */
  readonly prepare?: () => Promise<unknown>;
  /** Starts a worker unless one runs. */
  readonly wake?: (folder: string, call: WorkerRequest) => Promise<void>;
}

/**
 * Jobs as files: one folder per state, a job moves by renaming, and every step is done under one lock. A process that is killed
 * anywhere leaves a job in its old or its new state.
 */
export function queueTasks(folder: string, options: QueueOptions = {}): TaskBackend {
  const { leaseMs, maxOpen } = { ...backendDefaults, ...options };
  const { now } = Date;
  const open = lazy(() => openFolders(folder, options.prepare));
  const path = (state: JobFolder, file: string) => join(folder, state, file);
  const locked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await open();
    return withLock(join(folder, "queue"), work, { fs });
  };
  const restore = (wanted: (name: JobName) => boolean) => recoverJobs(folder, { leaseMs, now, wanted });

  /** Oldest first. */
  const jobs = (wanted: (name: JobName) => boolean) =>
    jobFolders
      .flatMap((state) => jobNames(folder, state).map((name) => ({ state, name })))
      .filter(({ name }) => wanted(name))
      .sort((a, b) => (a.name.age < b.name.age ? -1 : 1));
  /** There is one job under a key, unless a process was killed while it replaced it. */
  const newest = async (place: JobScope, key: string) => {
    const hash = keyHash(place, key);
    await restore((name) => name.key === hash);
    for (const { state, name } of jobs((one) => one.key === hash).reverse()) {
      const record = await readJob(path(state, name.file));
      if (record !== undefined) return { state, name, record: withoutOwner(record, state) };
    }
    return undefined;
  };

  return {
    async add(job) {
      const addedAt = now();
      const id = newJobId();
      await locked(async () => {
        const [session, key] = [sessionHash(job.session), keyHash(job, job.key)];
        const old = jobs((name) => name.key === key);
        const others = jobs((name) => name.session === session && name.key !== key);
        const openJobs = others.filter(({ state }) => state !== "done").length;
        if (openJobs >= maxOpen) throw tooManyJobs(job.session, openJobs);
        const record = { ...job, id, state: "pending", addedAt, begun: 0 };
        await writeJob(folder, "pending", `${newJobName(job, id, addedAt)}.json`, record);
        for (const { state, name } of old) await ignoringErrors(["ENOENT"], fs.unlink(path(state, name.file)));
      });
      return id;
    },
    get: (place, key) =>
      locked(async () => {
        const found = await newest(place, key);
        return found && withExpiry(found.record, now());
      }),
    list: (session) =>
      locked(async () => {
        const hash = sessionHash(session);
        await restore((name) => name.session === hash);
        const records: TaskRecord[] = [];
        for (const { state, name } of jobs((one) => one.session === hash)) {
          const record = await readJob(path(state, name.file));
          if (record) records.push(withExpiry(withoutOwner(record, state), now()));
        }
        return records;
      }),
    take: (place, key, state) =>
      locked(async () => {
        const found = await newest(place, key);
        if (found === undefined || withExpiry(found.record, now()).state !== state) return undefined;
        await fs.unlink(path("done", found.name.file));
        return found.record;
      }),
    cancel: (place, key) =>
      locked(async () => {
        const found = await newest(place, key);
        if (found === undefined || found.state === "done") return false;
        await moveJob(folder, found.state, found.name, endedRecord(found.record, { state: "cancelled" }, now()));
        return true;
      }),
    wake: async (call) => options.wake?.(folder, call),
    async claim(names) {
      await open();
      // Without the lock: a worker looks often, and mostly there is nothing.
      if (!hasOpen(folder)) return undefined;
      return locked(async () => {
        await restore(() => true);
        for (const name of jobNames(folder, "pending")) {
          const record = await readJob(path("pending", name.file));
          if (record !== undefined && record.state !== "pending") await moveJob(folder, "pending", name, record);
          if (record?.state !== "pending" || !names.includes(record.task)) continue;
          const lease = newJobId();
          const running: TaskRecord = { ...withoutOwner(record, "pending"), state: "running", begun: record.begun + 1 };
          const file = `${name.base}.${lease}.json`;
          await fs.rename(path("pending", name.file), path("running", file));
          await writeJob(folder, "running", file, { ...running, owner: ownIdentity() });
          return { record: running, lease };
        }
        return undefined;
      });
    },
    async beat(claim) {
      const name = runningName(folder, claim);
      if (name === undefined) return false;
      const time = new Date(now());
      const touched = utimes(path("running", name.file), time, time).then(() => true);
      return (await ignoringErrors(["ENOENT"], touched)) === true;
    },
    finish: (claim, end) =>
      locked(async () => {
        const name = runningName(folder, claim);
        if (name === undefined) return false;
        await moveJob(folder, "running", name, endedRecord(claim.record, end, now()));
        return true;
      }),
    close: async () => undefined,
  };
}

/** The folder of a job is more reliable than its content: the two change one after the other. */
function withoutOwner(record: StoredJob, state: JobFolder): TaskRecord {
  const { owner: _owner, ...rest } = record;
  return state === "done" ? rest : { ...rest, state };
}

function runningName(folder: string, { record, lease }: ClaimedJob): JobName | undefined {
  return jobNames(folder, "running").find((one) => one.lease === lease && one.base.includes(`-${record.id}-`));
}

async function openFolders(folder: string, prepare: QueueOptions["prepare"]): Promise<void> {
  await prepare?.();
  await openFolder(folder, fs);
  // Only this user can write below a private folder.
  for (const state of jobFolders.map((name) => join(folder, name))) {
    if (!existsSync(state)) await openFolder(state, fs);
  }
}
