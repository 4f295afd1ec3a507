import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  ensureFolder,
  type Fs,
  ignoringErrors,
  openFolder,
  readPrivate,
  replaceFile,
  sha256,
} from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";

/** Copies of files as they were before a change, with what is needed to bring them back. */
export interface Backup {
  readonly folder: string;
  readonly session: string;
  readonly why: string;
  readonly madeAt: string;
  readonly files: readonly SavedFile[];
  /** Files that the change was to make: they go when the backup is restored. */
  readonly added: readonly string[];
}

/** One file of a backup, with its original path and its hash. */
export interface SavedFile {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface BackupRequest {
  /** The folder of all backups. */
  readonly root: string;
  readonly session: string;
  readonly why: string;
  readonly paths: readonly string[];
  readonly added?: readonly string[];
  readonly now: number;
}

const manifestName = "manifest.json";

/** Contract: when it resolves, the copies are on disk, were read back, and have the hashes noted. The manifest comes last. */
export async function backUpSession(request: BackupRequest, fs: Fs): Promise<Backup> {
  const { session, why, paths, added = [], now } = request;
  const madeAt = new Date(now).toISOString();
  const folder = await freshFolder(join(request.root, session, madeAt.replaceAll(":", "-")), fs);
  const files: SavedFile[] = [];
  for (const [n, path] of paths.entries()) {
    const bytes = await readFile(path);
    const saved = { path, name: `${n}.bin`, sizeBytes: bytes.length, sha256: sha256(bytes) };
    await replaceFile(join(folder, saved.name), bytes, { fs });
    await verify(folder, saved);
    files.push(saved);
  }
  const backup: Backup = { folder, session, why, madeAt, files, added };
  const manifest = JSON.stringify({ version: 1, ...backup, folder: undefined }, null, 2);
  await replaceFile(join(folder, manifestName), `${manifest}\n`, { fs });
  return backup;
}

async function freshFolder(wanted: string, fs: Fs): Promise<string> {
  for (let n = 0; ; n += 1) {
    const folder = n === 0 ? wanted : `${wanted}-${n}`;
    if ((await ignoringErrors(["ENOENT"], lstat(folder))) !== undefined) continue;
    await openFolder(folder, fs);
    return folder;
  }
}

/**
 * Brings the files back as they were. Contract: every copy is checked before the first file is touched. Files that are as they were
 * are not written: so a change that a full disk stopped before its first file can be undone on that disk.
 */
export async function restoreBackup(backup: Backup, fs: Fs): Promise<void> {
  const contents = await Promise.all(backup.files.map((saved) => verify(backup.folder, saved)));
  for (const [n, { path }] of backup.files.entries()) {
    const bytes = contents[n];
    if (bytes === undefined || (await isFileWith(path, bytes))) continue;
    await ensureFolder(dirname(path), fs);
    await replaceFile(path, bytes, { fs });
  }
  for (const path of backup.added) await ignoringErrors(["ENOENT"], fs.unlink(path));
}

async function isFileWith(path: string, bytes: Buffer): Promise<boolean> {
  const found = await ignoringErrors(["ENOENT", "ENOTDIR"], lstat(path));
  return found?.isFile() === true && found.size === bytes.length && (await readFile(path)).equals(bytes);
}

/** Backs up what restoring `backup` would change; undefined when that is nothing. */
export async function backUpPresentFiles(backup: Backup, fs: Fs): Promise<Backup | undefined> {
  const hashOf = async (path: string) => {
    const bytes = await ignoringErrors(["ENOENT", "ENOTDIR"], readFile(path));
    return bytes === undefined ? undefined : sha256(bytes);
  };
  const saved = await Promise.all(backup.files.map(async (file) => ({ ...file, present: await hashOf(file.path) })));
  const made = await Promise.all(backup.added.map(async (path) => ({ path, present: await hashOf(path) })));
  const there = [...saved, ...made].filter(({ present }) => present !== undefined).map(({ path }) => path);
  const isSame =
    saved.every((file) => file.present === file.sha256) && made.every(({ present }) => present === undefined);
  if (isSame) return undefined;
  const added = saved.filter(({ present }) => present === undefined).map(({ path }) => path);
  const { folder, session } = backup;
  const root = dirname(dirname(folder));
  return backUpSession({ root, session, why: "rollback", paths: there, added, now: Date.now() }, fs);
}

/** Backups of a session, oldest first. One that was never finished has no manifest and is not among them. */
export async function listBackups(root: string, session: string): Promise<Backup[]> {
  const names = (await ignoringErrors(["ENOENT"], readdir(join(root, session)))) ?? [];
  const backups = await Promise.all(names.sort().map((name) => readBackup(join(root, session, name))));
  return backups.filter((backup) => backup !== undefined);
}

async function readBackup(folder: string): Promise<Backup | undefined> {
  const bytes = await readPrivate(join(folder, manifestName));
  if (bytes === undefined) return undefined;
  return { ...(JSON.parse(bytes.toString("utf8")) as Omit<Backup, "folder">), folder };
}

async function verify(folder: string, { name, path, sha256: saved }: SavedFile): Promise<Buffer> {
  const bytes = await readFile(join(folder, name));
  if (sha256(bytes) === saved) return bytes;
  const message = `the copy of ${path} in ${folder} is not what was saved. Nothing was restored.`;
  throw new Problem("sessions/bad-backup", message, { about: { folder, path } });
}
