import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { errorCode, type Fs, ignoringErrors, nodeFs } from "./disk.ts";
import { livenessOf, machineTag, ownIdentity } from "./process-identity.ts";

/**
 * A name next to `path` that cannot be guessed and that records which process made it,
 * so that the next process can clear away what a killed one left.
 */
export function tempName(path: string): string {
  const owner = ownIdentity();
  const tag = [owner.pid, owner.start, machineTag(owner), nonce()].join("-");
  // A name may have 255 bytes; the file's own name is there for users only.
  return join(dirname(path), `.${basename(path).slice(0, 60)}.${tag}.hookline-tmp`);
}

/** 128 random bits as text. */
export function nonce(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Removes the temporary files that ended processes left in a folder, and returns their names.
 * Contract: a file whose maker is alive stays; one from a place we cannot look into stays for a day.
 */
export async function sweepLeftovers(folder: string, fs: Fs = nodeFs, now: number = Date.now()): Promise<string[]> {
  const names = (await ignoringErrors(["ENOENT"], fs.readdir(folder))) ?? [];
  const gone: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (!(await isLeftover(path, name, fs, now))) continue;
    const removed = fs.unlink(path).then(() => gone.push(name));
    await ignoringErrors(["ENOENT"], removed);
  }
  return gone;
}

/** The same, at the first call for this folder in this process. */
export function sweepLeftoversOnce(folder: string, fs: Fs): Promise<void> {
  return sweepOnce(folder, fs, () => sweepLeftovers(folder, fs));
}

const swept = new WeakMap<Fs, Set<string>>();

/** Sweeps at the first call for this path in this process. After an error the next call tries again. */
export async function sweepOnce(path: string, fs: Fs, sweep: () => Promise<unknown>): Promise<void> {
  const paths = swept.get(fs) ?? new Set();
  swept.set(fs, paths);
  if (paths.has(path)) return;
  paths.add(path);
  try {
    await sweep();
  } catch (error) {
    paths.delete(path);
    // A folder that may be entered but not listed can still be written to.
    if (errorCode(error) !== "EACCES") throw error;
  }
}

const pattern = /\.(\d+)-([0-9a-zA-Z]*)-([0-9a-f]{12})-[0-9a-f]{32}\.hookline-tmp$/;
const dayMs = 24 * 60 * 60 * 1000;

async function isLeftover(path: string, name: string, fs: Fs, now: number): Promise<boolean> {
  const [, pid, start, place] = pattern.exec(name) ?? [];
  if (pid === undefined || start === undefined) return false;
  const self = ownIdentity();
  if (place === machineTag(self)) return livenessOf({ ...self, pid: Number(pid), start }, self) === "dead";
  const stat = await ignoringErrors(["ENOENT"], fs.lstat(path));
  return stat !== undefined && now - stat.mtimeMs > dayMs;
}
