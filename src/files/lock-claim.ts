import type { Stats } from "node:fs";
import { Problem } from "../protocol/internal.ts";
import { errorCode, type Fs, ignoringErrors, openFlags, readWholeFile, writeWholeFile } from "./disk.ts";
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

/** What lies at a lock's path. Garbage can only be left by a power cut, so it belongs to nobody. */
export type LockState = { kind: "nothing" } | { kind: "claim"; claim: LockClaim } | { kind: "garbage"; ino: number };

/** Nonces whose file could not be removed: we are alive, yet hold them no more. */
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
 * Puts the claim at `path` if nothing is there. The file appears with its content, so nobody ever sees half a claim;
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
  return (
    (await ignoringErrors(
      ["EEXIST"],
      writeClaim(path, claim, fs).then(() => true),
    )) ?? false
  );
}

export async function deleteClaimFile(claim: OwnLockClaim, fs: Fs): Promise<void> {
  await ignoringErrors(["ENOENT"], fs.unlink(claim.path));
}

/** Contract: removes the file at `path` only while it holds this very claim. False when somebody took it away. */
export async function removeClaim(claim: LockClaim, path: string, fs: Fs): Promise<boolean> {
  abandoned.add(claim.nonce);
  const found = await readLock(path, fs);
  if (found.kind === "claim" && found.claim.nonce === claim.nonce) await fs.unlink(path);
  abandoned.delete(claim.nonce);
  return found.kind === "claim" && found.claim.nonce === claim.nonce;
}

export async function readLock(path: string, fs: Fs): Promise<LockState> {
  const stat = await ignoringErrors(["ENOENT"], fs.lstat(path));
  if (stat === undefined) return { kind: "nothing" };
  if (!stat.isFile()) throw notALock(path, stat);
  const file = await ignoringErrors(["ENOENT"], fs.open(path, openFlags.reading));
  if (file === undefined) return { kind: "nothing" };
  try {
    const claim = parseClaim((await readWholeFile(file)).toString("utf8"));
    return claim ? { kind: "claim", claim } : { kind: "garbage", ino: stat.ino };
  } finally {
    await file.close();
  }
}

export function isAbandoned(claim: LockClaim): boolean {
  return abandoned.has(claim.nonce) || livenessOf(claim.owner) === "dead";
}

async function writeClaim(path: string, claim: LockClaim, fs: Fs): Promise<void> {
  const file = await fs.open(path, openFlags.creating, 0o600);
  try {
    await writeWholeFile(file, Buffer.from(`${JSON.stringify({ ...claim.owner, nonce: claim.nonce })}\n`));
  } finally {
    await file.close();
  }
}

function parseClaim(text: string): LockClaim | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // reported as garbage
  }
  const owner = parseIdentity(value);
  const said = (value as { nonce?: unknown } | null)?.nonce;
  // The nonce becomes part of a path.
  if (owner === undefined || typeof said !== "string" || !/^[0-9a-f]{32}$/.test(said)) return undefined;
  return { owner, nonce: said };
}

function notALock(path: string, stat: Stats): Problem {
  const what = stat.isSymbolicLink() ? "a link" : stat.isDirectory() ? "a folder" : "no ordinary file";
  return new Problem(
    "file/not-ours",
    `${path} should be a lock file, but it is ${what}. Nothing was written; remove it and try again.`,
    { about: { path } },
  );
}
