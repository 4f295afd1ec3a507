import type { Stats } from "node:fs";
import { fieldOf, type Problem, parseJson } from "../protocol/internal.ts";
import {
  closeAfter,
  createFile,
  errorCode,
  type Fs,
  ignoringErrors,
  notOurs,
  openFlags,
  readWholeFile,
  succeedsUnless,
} from "./disk.ts";
import { livenessOf, ownIdentity, type ProcessIdentity, parseIdentity } from "./process-identity.ts";
import { nonce, tempName } from "./temp-file.ts";

/** Who holds a lock: a process, and a number that is never given twice. */
export interface LockClaim {
  readonly owner: ProcessIdentity;
  readonly nonce: string;
}

/** A claim of this process, written whole to a file of its own before it is put anywhere. */
export interface OwnLockClaim extends LockClaim {
  readonly path: string;
}

/** What is at a lock's path. Only a power cut can leave garbage, so it has no owner. */
export type LockState = { kind: "nothing" } | { kind: "claim"; claim: LockClaim } | { kind: "garbage"; ino: number };

/** Nonces whose file could not be removed: this process is alive but no longer holds them. */
const abandoned = new Set<string>();

export async function makeClaim(lock: string, fs: Fs): Promise<OwnLockClaim> {
  const path = tempName(lock);
  const claim: LockClaim = { owner: ownIdentity(), nonce: nonce() };
  try {
    await writeClaim(path, claim, fs);
  } catch (error) {
    // A partial claim, as a full disk leaves it, must not stay next to the user's settings.
    await Promise.allSettled([fs.unlink(path)]);
    throw error;
  }
  return { ...claim, path };
}

/**
 * Puts the claim at `path` if nothing is there. The file appears with its content, so no process ever sees half a claim;
 * only where the file system has no hard links is it created first and filled after.
 */
export async function placeClaim(claim: OwnLockClaim, path: string, fs: Fs): Promise<boolean> {
  try {
    await fs.link(claim.path, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
  }
  return succeedsUnless(["EEXIST"], writeClaim(path, claim, fs));
}

export async function deleteClaimFile(claim: OwnLockClaim, fs: Fs): Promise<void> {
  await ignoringErrors(["ENOENT"], fs.unlink(claim.path));
}

/** Contract: removes the file at `path` only while it holds this very claim. */
export async function removeClaim(claim: LockClaim, path: string, fs: Fs): Promise<void> {
  abandoned.add(claim.nonce);
  const found = await readLock(path, fs);
  if (found.kind === "claim" && found.claim.nonce === claim.nonce) await fs.unlink(path);
  abandoned.delete(claim.nonce);
}

export async function readLock(path: string, fs: Fs): Promise<LockState> {
  const stat = await ignoringErrors(["ENOENT"], fs.lstat(path));
  if (stat === undefined) return { kind: "nothing" };
  if (!stat.isFile()) throw notALock(path, stat);
  const file = await ignoringErrors(["ENOENT"], fs.open(path, openFlags.reading));
  if (file === undefined) return { kind: "nothing" };
  const bytes = await closeAfter(file, () => readWholeFile(file));
  const claim = parseClaim(bytes.toString("utf8"));
  return claim ? { kind: "claim", claim } : { kind: "garbage", ino: stat.ino };
}

export function isAbandoned(claim: LockClaim): boolean {
  return abandoned.has(claim.nonce) || livenessOf(claim.owner) === "dead";
}

async function writeClaim(path: string, claim: LockClaim, fs: Fs): Promise<void> {
  await createFile(path, `${JSON.stringify({ ...claim.owner, nonce: claim.nonce })}\n`, fs);
}

function parseClaim(text: string): LockClaim | undefined {
  const value = parseJson(text);
  const owner = parseIdentity(value);
  const nonce = fieldOf(value, "nonce");
  // The nonce becomes part of a path.
  if (owner === undefined || typeof nonce !== "string" || !/^[0-9a-f]{32}$/.test(nonce)) return undefined;
  return { owner, nonce };
}

function notALock(path: string, stat: Stats): Problem {
  const other = stat.isDirectory() ? "a directory" : "not a regular file";
  const what = stat.isSymbolicLink() ? "a link" : other;
  return notOurs(path, `should be a lock file, but it is ${what}. Nothing was written; remove it and try again.`);
}
