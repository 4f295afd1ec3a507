import { dirname } from "node:path";
import { Problem } from "../protocol/internal.ts";
import { closeAfter, errorCode, type Fs, type FsFile, nodeFs, notOurs, openFlags, writeWholeFile } from "./disk.ts";
import { type LockOptions, withLock } from "./file-lock.ts";

export interface AppendOptions extends LockOptions {
  /** Acknowledge only what outlives a power cut. */
  readonly durable?: boolean;
}

/** Writes lines to the end of one file while its lock is held. */
export interface LineWriter {
  /** Contract: the whole line is in the file, or it throws and the file is as it was before. */
  line(record: Uint8Array | string): Promise<void>;
  /** Contract: every line written so far outlives a power cut, or it throws and all of them are taken back. */
  sync(): Promise<void>;
}

/**
 * Appends records as whole lines, in order. When it resolves they are in the file (`durable`: on the disk).
 *
 * Contract: no line of another writer is touched. A stub that a killed writer left is closed with a newline first, so it
 * becomes a bad line of its own and stays. When a record cannot be written whole, the file is cut back and it throws.
 */
export async function appendLines(
  path: string,
  records: readonly (Uint8Array | string)[],
  options: AppendOptions = {},
): Promise<void> {
  await withAppend(
    path,
    async (to) => {
      for (const record of records) await to.line(record);
      if (options.durable === true) await to.sync();
    },
    options,
  );
}

/** The same, for a caller that decides line by line. The file is made (0600) if missing; its folder is not. */
export async function withAppend<T>(
  path: string,
  work: (to: LineWriter) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const { fs = nodeFs } = options;
  return withLock(
    path,
    async () => {
      const file = await openEnd(path, fs);
      return closeAfter(file, async () => work(await lineWriter(file, path, fs)));
    },
    options,
  );
}

async function openEnd(path: string, fs: Fs): Promise<FsFile> {
  try {
    return await fs.open(path, openFlags.appending, 0o600);
  } catch (error) {
    if (errorCode(error) !== "ELOOP") throw error;
    throw notOurs(path, "is a link. It was not followed; remove it and try again.", error);
  }
}

async function lineWriter(file: FsFile, path: string, fs: Fs): Promise<LineWriter> {
  const stat = await file.stat();
  if (!stat.isFile()) throw notOurs(path, "is not a regular file.");
  const before = { size: stat.size, torn: await isTorn(file, stat.size) };
  // An empty file may be new. Its name must outlive a power cut before any line does.
  if (before.size === 0) await fs.syncFolder(dirname(path));
  let now = before;
  return {
    async line(record) {
      const bytes = lineOf(record, now.torn);
      await orCutBack(file, now.size, () => writeWholeFile(file, bytes));
      now = { size: now.size + bytes.length, torn: false };
    },
    async sync() {
      const written = now;
      now = before;
      await orCutBack(file, before.size, () => file.datasync());
      now = written;
    },
  };
}

async function isTorn(file: FsFile, size: number): Promise<boolean> {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] !== newline;
}

const newline = 0x0a;

/** One buffer for one write: a record in two writes could be torn between them. */
function lineOf(record: Uint8Array | string, torn: boolean): Uint8Array {
  const bytes = Buffer.from(record);
  if (bytes.includes(newline)) {
    throw new Problem("file/line-break", "A record holds a line break and cannot be one line. Write it as JSON.");
  }
  return Buffer.concat([Buffer.from(torn ? "\n" : ""), bytes, Buffer.from("\n")]);
}

/** We hold the lock, so what follows `size` is ours alone. */
async function orCutBack(file: FsFile, size: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // If the disk refuses this too, the stub stays, and the next append closes it.
    await Promise.allSettled([file.truncate(size)]);
    throw error;
  }
}
