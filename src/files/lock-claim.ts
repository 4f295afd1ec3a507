import type { Stats } from "node:fs";
import { Problem } from "../protocol/internal.ts";
import { type Fs, openFor, readAll, writeAll } from "./disk.ts";
import { errorCode, unless } from "./file-problem.ts";
import { lifeOf, type Owner, ownerFrom, ownOwner } from "./process-identity.ts";
import { nonce, tempName } from "./temp-file.ts";

/** Who holds a lock: a process, and a number that is never given twice. */
export interface Claim {
  readonly owner: Owner;
  readonly nonce: string;
}

/** A claim of this process, written whole to a file of its own before it is put anywhere. */
export interface OwnClaim extends Claim {
  readonly path: string;
}

/** What lies at a lock's path. Garbage can only be left by a power cut, so it belongs to nobody. */
export type Found = { kind: "nothing" } | { kind: "claim"; claim: Claim } | { kind: "garbage"; ino: number };

/** Nonces whose file could not be removed: we are alive, yet hold them no more. */
const abandoned = new Set<string>();

export async function makeClaim(lock: string, fs: Fs): Promise<OwnClaim> {
  const path = tempName(lock);
  const claim: Claim = { owner: ownOwner(), nonce: nonce() };
  try {
    await writeClaim(path, claim, fs);
  } catch (error) {
    // Half a claim, as a full disk leaves it, is no file to leave beside somebody's settings.
    await Promise.allSettled([fs.unlink(path)]);
    throw error;
  }
  return { ...claim, path };
}

/**
 * Puts the claim at `path` if nothing is there. The file appears with its content, so nobody ever sees half a claim;
 * only where the file system has no hard links is it created first and filled after.
 */
export async function place(claim: OwnClaim, path: string, fs: Fs): Promise<boolean> {
  try {
    await fs.link(claim.path, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
  }
  return (
    (await unless(
      ["EEXIST"],
      writeClaim(path, claim, fs).then(() => true),
    )) ?? false
  );
}

export async function dropClaim(claim: OwnClaim, fs: Fs): Promise<void> {
  await unless(["ENOENT"], fs.unlink(claim.path));
}

/** Contract: removes the file at `path` only while it holds this very claim. False when somebody took it away. */
export async function remove(claim: Claim, path: string, fs: Fs): Promise<boolean> {
  abandoned.add(claim.nonce);
  const found = await look(path, fs);
  if (found.kind === "claim" && found.claim.nonce === claim.nonce) await fs.unlink(path);
  abandoned.delete(claim.nonce);
  return found.kind === "claim" && found.claim.nonce === claim.nonce;
}

export async function look(path: string, fs: Fs): Promise<Found> {
  const stat = await unless(["ENOENT"], fs.lstat(path));
  if (stat === undefined) return { kind: "nothing" };
  if (!stat.isFile()) throw notALock(path, stat);
  const file = await unless(["ENOENT"], fs.open(path, openFor.reading));
  if (file === undefined) return { kind: "nothing" };
  try {
    const claim = parseClaim((await readAll(file)).toString("utf8"));
    return claim ? { kind: "claim", claim } : { kind: "garbage", ino: stat.ino };
  } finally {
    await file.close();
  }
}

export function isOver(claim: Claim): boolean {
  return abandoned.has(claim.nonce) || lifeOf(claim.owner) === "dead";
}

async function writeClaim(path: string, claim: Claim, fs: Fs): Promise<void> {
  const file = await fs.open(path, openFor.creating, 0o600);
  try {
    await writeAll(file, Buffer.from(`${JSON.stringify({ ...claim.owner, nonce: claim.nonce })}\n`));
  } finally {
    await file.close();
  }
}

function parseClaim(text: string): Claim | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // reported as garbage
  }
  const owner = ownerFrom(value);
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
