import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolderSync, packageVersion, statePath } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import { logLine } from "./log-record.ts";
import type { LogRecord } from "./logger.ts";

export interface LogFileOptions {
  /** A file larger than this is rotated. Default: 5 MiB. */
  readonly maxBytes?: number;
  /** How many files are kept, including the current one. Default: 3. */
  readonly files?: number;
}

const defaults = { maxBytes: 5 * 2 ** 20, files: 3 };

/** The files of the hook log, oldest first; the last one is written to. */
export function logFiles(
  env: Readonly<Record<string, string | undefined>>,
  { files = defaults.files }: LogFileOptions = {},
): readonly string[] {
  const path = join(statePath({ env }), "log", "hooks.jsonl");
  return Array.from({ length: files }, (_, n) => (n === files - 1 ? path : `${path}.${files - 1 - n}`));
}

/**
 * Appends a record as one line to the hook log. Contract: one write per line, so that lines of many processes do not mix; a log that
 * cannot be written is reported and changes nothing.
 */
export function appendLog(
  record: LogRecord,
  env: Readonly<Record<string, string | undefined>>,
  complain: (line: string) => void,
  options: LogFileOptions = {},
): void {
  try {
    const path = logFiles(env, { files: 1 })[0] ?? "";
    const file = open(path);
    try {
      const bytes = Buffer.from(
        `${endsMidLine(file) ? "\n" : ""}${logLine({ ...record, version: packageVersion() })}\n`,
      );
      if (writeSync(file, bytes) < bytes.length) complain(cutShort);
      const { maxBytes = defaults.maxBytes, files = defaults.files } = options;
      if (fstatSync(file).size > maxBytes) rotate(path, maxBytes, Math.max(1, files));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    complain(`The hook log cannot be written: ${messageOf(error)}`);
  }
}

/** The log in the hands of a process that stays. */
interface OpenLogFile {
  readonly file: number;
  readonly ino: number;
  readonly dev: number;
  /** As long as the file is no longer than this, our own whole line is its last. */
  end: number;
}

/**
 * `appendLog` for a long-running process, with the same contract: the file is opened again only when another file has its path, as when
 * the files were turned over, and its last byte is looked at only when somebody else has written.
 */
export function openLog(
  env: Readonly<Record<string, string | undefined>>,
  { maxBytes = defaults.maxBytes, files = defaults.files }: LogFileOptions = {},
): (record: LogRecord, complain: (line: string) => void) => void {
  let kept: OpenLogFile | undefined;
  return (record, complain) => {
    try {
      const path = logFiles(env, { files: 1 })[0] ?? "";
      let stat = statSync(path, { throwIfNoEntry: false });
      if (kept === undefined || stat?.ino !== kept.ino || stat.dev !== kept.dev) {
        if (kept !== undefined) closeSync(kept.file);
        kept = undefined;
        const file = open(path);
        stat = fstatSync(file);
        kept = { file, ino: stat.ino, dev: stat.dev, end: 0 };
      }
      const torn = stat.size !== kept.end && endsMidLine(kept.file);
      const bytes = Buffer.from(`${torn ? "\n" : ""}${logLine({ ...record, version: packageVersion() })}\n`);
      kept.end = 0;
      if (writeSync(kept.file, bytes) === bytes.length) kept.end = stat.size + bytes.length;
      else complain(cutShort);
      if (stat.size + bytes.length > maxBytes) rotate(path, maxBytes, Math.max(1, files));
    } catch (error) {
      complain(`The hook log cannot be written: ${messageOf(error)}`);
    }
  };
}

const cutShort = "The hook log took a part of a line only; is the disk full?";

/** A link at the path is not followed. */
function open(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeFolderSync(dirname(path));
    return openSync(path, flags, 0o600);
  }
}

/** What a full disk cut off stays a bad line of its own. A line that is being written looks the same, but not for long. */
function endsMidLine(file: number): boolean {
  let size = sizeIfTorn(file);
  for (let looks = 0; size !== undefined && looks < 3; looks++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    const now = sizeIfTorn(file);
    if (now === size) return true;
    size = now;
  }
  return false;
}

/** The size of a file that does not end with a whole line. */
function sizeIfTorn(file: number): number | undefined {
  const { size } = fstatSync(file);
  if (size === 0) return undefined;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a ? undefined : size;
}

/** One process rotates the files; others that come meanwhile leave it to that one. */
function rotate(path: string, maxBytes: number, files: number): void {
  const turn = `${path}.turning`;
  if (!takeRotationLock(turn)) return;
  try {
    // Somebody may have been faster: then the file at the path is a new one.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return;
    if (files === 1) rmSync(path, { force: true });
    for (let n = files - 1; n >= 1; n--) moveIfThere(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`);
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

/** A process that was killed on its turn must not keep the file from ever being turned over again. */
function takeRotationLock(turn: string): boolean {
  try {
    mkdirSync(turn, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const since = statSync(turn, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && since < Date.now() - 10_000) rmSync(turn, { recursive: true, force: true });
    return false;
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
