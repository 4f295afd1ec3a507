import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { type Fs, type FsFile, syncFolder } from "./disk.ts";

/**
 * The disk without a detour: small operations are done at once instead of being handed to another thread and back, which on a busy machine
 * takes many times as long as they do. For a few small files that somebody waits for. What waits for the disk itself does not hold the
 * thread.
 */
export const directFs: Fs = {
  open: async (path, flags, mode) => fileOf(openSync(path, flags, mode)),
  lstat: async (path) => lstatSync(path),
  mkdir: async (path, mode) => void mkdirSync(path, { mode }),
  rename: async (from, to) => renameSync(from, to),
  link: async (from, to) => linkSync(from, to),
  unlink: async (path) => unlinkSync(path),
  rmdir: async (path) => rmdirSync(path),
  readdir: async (path) => readdirSync(path),
  realpath: async (path) => realpathSync(path),
  readlink: async (path) => readlinkSync(path),
  syncFolder: (path) => syncFolder(directFs.open(path, constants.O_RDONLY)),
};

function fileOf(file: number): FsFile {
  return {
    read: async (buffer, offset, length, position) => ({ bytesRead: readSync(file, buffer, offset, length, position) }),
    write: async (buffer, offset, length) => ({ bytesWritten: writeSync(file, buffer, offset, length) }),
    truncate: async (length) => ftruncateSync(file, length),
    sync: () => synced(fsync, file),
    datasync: () => synced(fdatasync, file),
    stat: async () => fstatSync(file),
    chmod: async (mode) => fchmodSync(file, mode),
    chown: async (uid, gid) => fchownSync(file, uid, gid),
    close: async () => closeSync(file),
  };
}

function synced(sync: typeof fsync, file: number): Promise<void> {
  return new Promise((resolve, reject) => sync(file, (error) => (error ? reject(error) : resolve())));
}
