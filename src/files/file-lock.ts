import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defined, Problem } from "../protocol/internal.ts";
import { type Fs, ignoringErrors, nodeFs } from "./disk.ts";
import { monotonicMs, waitInQueue } from "./in-process-queue.ts";
import {
  deleteClaimFile,
  isAbandoned,
  type LockClaim,
  type LockState,
  makeClaim,
  placeClaim,
  readLock,
  removeClaim,
} from "./lock-claim.ts";
import { ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { sweepLeftoversOnce, sweepOnce } from "./temp-file.ts";

export interface LockOptions {
  readonly fs?: Fs;
  /** How long to wait for a live owner. Default: 5 seconds. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface HeldLock {
  readonly held: true;
  /** Contract: removes the lock only while it is ours. */
  release(): Promise<void>;
}

/** Another process has it, or an earlier caller in this one. Without an owner, the file cannot be read. */
interface BusyLock {
  readonly held: false;
  readonly owner: ProcessIdentity | undefined;
}

/**
 * Takes the lock of a file, `<file>.lock`, between processes and within this one.
 *
 * Contract: the lock is its owner's for as long as that process lives, whatever clocks and file times say; what a dead
 * process left is cleared at once. A link at the lock's path is not followed. Callers of one process get the lock in
 * the order in which they asked.
 */
export async function takeLock(path: string, options: LockOptions = {}): Promise<HeldLock | BusyLock> {
  const { fs = nodeFs, waitMs = 5_000, signal } = options;
  const lock = `${path}.lock`;
  const endTurn = await waitInQueue(lock, waitMs, signal);
  if (endTurn === undefined) return { held: false, owner: ownIdentity() };
  try {
    const got = await contend(lock, fs, waitMs, signal);
    if ("held" in got) {
      endTurn();
      return got;
    }
    return { held: true, release: () => removeClaim(got, lock, fs).finally(endTurn) };
  } catch (error) {
    endTurn();
    throw error;
  }
}

/** Runs `work` with the lock held. A live owner that does not let go is `file/locked`, which names it. */
export async function withLock<T>(path: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const lock = await takeLock(path, options);
  if (!lock.held) throw lockedBy(path, lock.owner);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    try {
      await lock.release();
    } catch (second) {
      throw new AggregateError([error, second], `${String(error)}; the lock of ${path} could not be removed either`);
    }
    throw error;
  }
  await lock.release();
  return result;
}

/** Only where there are no hard links can a live process be between making its lock and filling it. */
const garbageMs = 500;

/** Tries until the claim is at the lock's path, or its live owner has been waited for long enough. */
async function contend(lock: string, fs: Fs, waitMs: number, signal?: AbortSignal): Promise<LockClaim | BusyLock> {
  const claim = await makeClaim(lock, fs);
  /** An unreadable lock, and since when we have seen it. */
  let garbage = { ino: -1, since: 0 };
  try {
    const busy = await wait();
    if (busy === undefined) await sweep(claim, lock, fs);
    await deleteClaimFile(claim, fs);
    return busy ?? claim;
  } catch (error) {
    // What is left of the claim is swept by the next process; it blocks no other process once the lock is released.
    await Promise.allSettled([removeClaim(claim, lock, fs), deleteClaimFile(claim, fs)]);
    throw error;
  }

  async function wait(): Promise<BusyLock | undefined> {
    const startedAt = monotonicMs();
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 1.5, 20)) {
      signal?.throwIfAborted();
      if (await placeClaim(claim, lock, fs)) return undefined;
      const busy = await clear(lock);
      if (busy === undefined) continue;
      if (monotonicMs() - startedAt >= waitMs) return busy;
      await sleep(Math.random() * pauseMs, undefined, { signal });
    }
  }

  /**
   * Removes what a dead process left at `path`. Two processes may come to this at once, and the slower one must not remove
   * the lock that the faster one has taken meanwhile. So a process that clears the claim N first takes the right to do so,
   * `<lock>.N.after`, and looks again. N is never given twice, so once it is removed the right to it is worth nothing;
   * and a right that a dead process left is cleared in the same way.
   */
  async function clear(path: string): Promise<BusyLock | undefined> {
    const found = await readLock(path, fs);
    if (found.kind === "nothing") return undefined;
    if (found.kind === "claim" && !isAbandoned(found.claim)) return { held: false, owner: found.claim.owner };
    if (found.kind === "garbage" && !seenLongEnough(found.ino)) return { held: false, owner: undefined };
    const right = `${lock}.${found.kind === "claim" ? found.claim.nonce : found.ino}.after`;
    if (!(await placeClaim(claim, right, fs))) return clear(right);
    try {
      if (isSame(found, await readLock(path, fs))) await fs.unlink(path);
    } finally {
      await removeClaim(claim, right, fs);
    }
    return undefined;
  }

  function seenLongEnough(ino: number): boolean {
    const now = monotonicMs();
    if (garbage.ino !== ino) garbage = { ino, since: now };
    return now - garbage.since >= garbageMs;
  }
}

function isSame(one: LockState, other: LockState): boolean {
  if (one.kind === "claim" && other.kind === "claim") return one.claim.nonce === other.claim.nonce;
  return one.kind === "garbage" && other.kind === "garbage" && one.ino === other.ino;
}

/**
 * Once per process and lock, removes what killed processes left next to it. While we hold the lock, a right to an earlier
 * claim is worth nothing, so one whose owner has ended can be removed.
 */
async function sweep(claim: LockClaim, lock: string, fs: Fs): Promise<void> {
  await sweepLeftoversOnce(dirname(lock), fs);
  await sweepOnce(lock, fs, async () => {
    for (const name of await fs.readdir(dirname(lock))) {
      if (!name.startsWith(`${basename(lock)}.`) || !name.endsWith(".after")) continue;
      const path = join(dirname(lock), name);
      const found = await readLock(path, fs);
      if (found.kind === "claim" && found.claim.nonce !== claim.nonce && isAbandoned(found.claim))
        await ignoringErrors(["ENOENT"], fs.unlink(path));
    }
  });
}

function lockedBy(path: string, owner: ProcessIdentity | undefined): Problem {
  const who = owner === undefined ? "an unknown process" : `process ${owner.pid} on ${owner.host}`;
  return new Problem(
    "file/locked",
    `${path} is in use by ${who}. Try again when it is done; if it no longer exists, remove ${path}.lock.`,
    { about: { path, ...defined({ owner }) } },
  );
}
