import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  syncBackedFs as fs,
  ignoringErrors,
  ignoringErrorsSync,
  livenessOf,
  type ProcessIdentity,
  readPrivate,
  replaceFile,
  sha256,
} from "../../files/internal.ts";
import { isObject, parseJson } from "../../protocol/internal.ts";
import type { TaskTable } from "./task.ts";
import { type JobScope, type NewJob, recoveredRecord, type TaskRecord } from "./task-backend.ts";

/**
 * The name of a job's file says what is needed to find it without opening it. It sorts by priority, then by age. Sessions and keys
 * are texts from outside and only their hashes get into it.
 */
export interface JobName {
  /** The same in every state of the job. */
  readonly base: string;
  readonly age: string;
  readonly session: string;
  readonly key: string;
  /** Of a running job: the lease of its worker. */
  readonly lease: string | undefined;
  readonly file: string;
}

/** One folder per state; `done` is for every way to end. */
export const jobFolders = ["pending", "running", "done"] as const;
export type JobFolder = (typeof jobFolders)[number];

/** The jobs in one state, in the order in which they run. Synchronous: the folder is small, and a hook waits for it. */
export function jobNames(folder: string, state: JobFolder): readonly JobName[] {
  // No folder: no job was ever added.
  const files = ignoringErrorsSync(["ENOENT"], () => readdirSync(join(folder, state))) ?? [];
  return files
    .map(readJobName)
    .filter((name) => name !== undefined)
    .sort((a, b) => (a.base < b.base ? -1 : 1));
}

let count = 0;

export function newJobName(job: NewJob, id: string, addedAt: number): string {
  count = (count + 1) % 36 ** 3;
  const rank = String(1_000 - job.priority).padStart(4, "0");
  const age = addedAt.toString(36).padStart(9, "0") + count.toString(36).padStart(3, "0");
  return [rank, age, id, sessionHash(job.session), keyHash(job, job.key)].join("-");
}

const jobFileName = /^(\d{4}-([0-9a-z]{12})-[0-9a-f]{16}-([0-9a-f]{16})-([0-9a-f]{16}))(?:\.([0-9a-f]{16}))?\.json$/;

/** Undefined for any other file. */
function readJobName(file: string): JobName | undefined {
  const parts = jobFileName.exec(file);
  if (parts === null) return undefined;
  const [, base = "", age = "", session = "", key = "", lease] = parts;
  return { base, age, session, key, lease, file };
}

export function newJobId(): string {
  return randomBytes(8).toString("hex");
}

export function sessionHash(session: string): string {
  return sha256(session).slice(0, 16);
}

export function keyHash({ session, space }: JobScope, key: string): string {
  return sha256(JSON.stringify([session, space, key])).slice(0, 16);
}

/** The content of a job's file; `owner` is the worker of a running job. */
export type StoredJob = TaskRecord & { readonly owner?: ProcessIdentity };

/** Undefined when it was removed; an unreadable file is renamed. */
export async function readJob(path: string): Promise<StoredJob | undefined> {
  const bytes = await readPrivate(path, fs);
  if (bytes === undefined) return undefined;
  const value = parseJson(bytes.toString("utf8"));
  if (isRecord(value)) return value;
  await fs.rename(path, `${path}.unreadable`);
  return undefined;
}

/** Whether a job of one of these tasks waits. */
export async function hasPending(folder: string, tasks: TaskTable): Promise<boolean> {
  for (const { file } of jobNames(folder, "pending")) {
    const job = await readJob(join(folder, "pending", file));
    if (job !== undefined && tasks.has(job.task)) return true;
  }
  return false;
}

function isRecord(value: unknown): value is TaskRecord {
  if (!isObject(value)) return false;
  const { id, task, session, space, key, state, ttlMs, attempts, begun } = value;
  return (
    [id, task, session, space, key, state].every((text) => typeof text === "string") &&
    [ttlMs, attempts, begun].every((number) => typeof number === "number")
  );
}

interface RecoverOptions {
  readonly leaseMs: number;
  readonly now: () => number;
  readonly wanted: (name: JobName) => boolean;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Settles running jobs whose worker has exited: they wait again while attempts are left, else they have failed. A worker counts as dead when its
 * process is, or when it sent no heartbeat for the length of a lease. Called with the queue's lock held.
 */
export async function recoverJobs(folder: string, options: RecoverOptions): Promise<void> {
  const { leaseMs, now, wanted, wait = sleep } = options;
  for (const name of jobNames(folder, "running").filter(wanted)) {
    const file = join(folder, "running", name.file);
    const beatAt = (await ignoringErrors(["ENOENT"], fs.lstat(file)))?.mtimeMs;
    const job = await readJob(file);
    if (job === undefined || beatAt === undefined) continue;
    const { owner, ...record } = job;
    if (owner === undefined && record.state !== "running") {
      // Its process was killed before or after a move; the content of the file decides.
      await moveJob(folder, "running", name, record);
      continue;
    }
    /** A machine that slept through a lease wakes its workers as well; they get a moment for a heartbeat. */
    const isLate = async (): Promise<boolean> => {
      if (beatAt + leaseMs > now()) return false;
      await wait(Math.min(500, leaseMs));
      return (await ignoringErrors(["ENOENT"], fs.lstat(file)))?.mtimeMs === beatAt;
    };
    if (owner !== undefined && livenessOf(owner) !== "dead" && !(await isLate())) continue;
    await moveJob(folder, "running", name, recoveredRecord(record, now()));
  }
}

/**
 * Moves a job that does not run to the folder of its state. First the content, then the move: a process killed between the two leaves a
 * job that the next one moves.
 */
export async function moveJob(folder: string, from: JobFolder, name: JobName, record: TaskRecord): Promise<void> {
  await writeJob(folder, from, name.file, record);
  const to = record.state === "pending" ? "pending" : "done";
  await fs.rename(join(folder, from, name.file), join(folder, to, `${name.base}.json`));
}

export async function writeJob(folder: string, state: JobFolder, file: string, record: object): Promise<void> {
  await replaceFile(join(folder, state, file), `${JSON.stringify(record)}\n`, { fs });
}

/** Whether a job of any task waits or runs. */
export function hasOpen(folder: string): boolean {
  return jobNames(folder, "pending").length > 0 || jobNames(folder, "running").length > 0;
}

/** Removes results whose time is long over. For workers: no hook process waits for it. */
export async function sweepDone(folder: string, now: number): Promise<void> {
  for (const name of jobNames(folder, "done")) {
    const file = join(folder, "done", name.file);
    const job = await readJob(file);
    if (job?.endedAt === undefined || now < job.endedAt + job.ttlMs + expiredMs) continue;
    await ignoringErrors(["ENOENT"], fs.unlink(file));
  }
}

/** For this long after it has expired, `get` still reports a result as expired. */
const expiredMs = 3_600_000;
