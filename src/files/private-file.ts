import { constants, fstatSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Problem } from "../protocol/internal.ts";
import {
  closeAfter,
  createFile,
  errorCode,
  type Fs,
  type FsFile,
  nodeFs,
  notOurs,
  openFlags,
  readWholeFile,
  withFileSync,
} from "./disk.ts";
import { findFolder, type HomeSource, openFolder, statePath, unsafeReason } from "./state-folder.ts";
import { nonce } from "./temp-file.ts";

interface PrivateFileOptions {
  readonly fs?: Fs;
  /** Before and after the random part of the name, for users and for programs that look at the ending. */
  readonly prefix?: string;
  readonly suffix?: string;
}

/**
 * Writes a new file that only this user can read, under a name that cannot be predicted, and returns its path.
 * The folder is made if missing (0700). Contract: never follows a link, never touches a file that is there.
 */
export async function writePrivate(
  folder: string,
  bytes: Uint8Array | string,
  options: PrivateFileOptions = {},
): Promise<string> {
  const { fs = nodeFs, prefix = "", suffix = "" } = options;
  const name = `${prefix}${nonce()}${suffix}`;
  if (basename(name) !== name) throw new TypeError(`"${prefix}" and "${suffix}" must be parts of a file's name`);
  await openFolder(folder, fs);
  const path = join(folder, name);
  await createFile(path, bytes, fs);
  return path;
}

/**
 * Reads a file we rely on, such as pins or a token. Undefined when there is none.
 * Contract: a link, another user's file, or one that group or others may write is `file/unsafe`, never read.
 */
export async function readPrivate(path: string, fs: Fs = nodeFs): Promise<Buffer | undefined> {
  let file: FsFile;
  try {
    file = await fs.open(path, openFlags.reading);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    if (errorCode(error) === "ELOOP") throw unsafe(path, "it is a link");
    throw error;
  }
  return closeAfter(file, async () => {
    const stat = await file.stat();
    const why = stat.isFile() ? unsafeReason(stat) : "it is not a regular file";
    if (why !== undefined) throw unsafe(path, why);
    return readWholeFile(file);
  });
}

/**
 * Reads a file below the state folder as `readPrivate` does. Undefined when there is none.
 * Contract: a folder on the way that another user made, linked or may write is `file/unsafe`: what is in it may be another user's choice.
 */
export async function readState(below: readonly string[], source: HomeSource): Promise<Buffer | undefined> {
  let path = statePath(source);
  for (const part of below) {
    if (!(await findFolder(path))) return undefined;
    path = join(path, part);
  }
  return readPrivate(path);
}

function unsafe(path: string, why: string): Problem {
  return new Problem(
    "file/unsafe",
    `${path} is not safe to use: ${why}. Remove it, or make it writable only by you (chmod go-w in ${dirname(path)}).`,
    { about: { path, why } },
  );
}

/**
 * Reads a file at a place that others can write, such as a checkout. A link is followed.
 * Contract: a pipe or a device is `file/not-ours` at once, never a wait.
 */
export function readRegularFile(path: string): Buffer {
  return withFileSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), (file) => {
    const found = fstatSync(file);
    // Of a folder the system itself says what it is.
    if (!found.isFile() && !found.isDirectory())
      throw notOurs(path, "cannot be read: it is not a regular file. Remove it.");
    return readFileSync(file);
  });
}
