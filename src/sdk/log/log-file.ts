import { fstatSync, mkdirSync, readSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  ignoringErrorsSync,
  makeFolderSync,
  openFlags,
  packageVersion,
  statePath,
  withFileSync,
} from "../../files/internal.ts";
import { messageOf, systemErrorMessage } from "../../protocol/internal.ts";
import type { AppOptions } from "../app/app-definition.ts";
import type { Env } from "../app/run-environment.ts";
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
export function logFiles(env: Env, { files = defaults.files }: LogFileOptions = {}): readonly string[] {
  const path = join(statePath({ env }), "log", "hooks.jsonl");
  return Array.from({ length: files }, (_, n) => (n === files - 1 ? path : `${path}.${files - 1 - n}`));
}

/**
 * Appends a record as one line to the hook log. Contract: one write per line, so that lines of many processes do not mix; a log that
 * cannot be written is reported and changes nothing.
 */
export function appendLog(
  record: LogRecord,
  env: Env,
  complain: (line: string) => void,
  log?: AppOptions["log"],
): void {
  const { maxBytes, files } = { ...defaults, ...(typeof log === "object" ? log : {}) };
  let path: string | undefined;
  try {
    const [file, line] = lineForLog(record, env);
    path = file;
    if (writeLine(path, line, complain) > maxBytes) rotate(path, maxBytes, Math.max(1, files));
  } catch (error) {
    complain(
      `The hook log${path === undefined ? "" : ` ${path}`} cannot be written: ${systemErrorMessage(error) ?? messageOf(error)}`,
    );
  }
}

/** The file and the line that `appendLog` writes. */
export function lineForLog(record: LogRecord, env: Env): readonly [path: string, line: string] {
  const [path = ""] = logFiles(env, { files: 1 });
  return [path, `${logLine({ ...record, version: packageVersion() })}\n`];
}

/** Returns the size of the file. A link at the path is not followed. */
function writeLine(path: string, line: string, complain: (line: string) => void): number {
  const write = () =>
    withFileSync(path, openFlags.appending, (file) => {
      // What is written to a pipe is lost.
      if (!fstatSync(file).isFile()) throw new Error("it is not a regular file");
      const bytes = Buffer.from(`${endsMidLine(file) ? "\n" : ""}${line}`);
      const isWhole = writeSync(file, bytes) === bytes.length;
      if (!isWhole) complain("The hook log has only a part of a line; the disk may be full.");
      return fstatSync(file).size;
    });
  const size = ignoringErrorsSync(["ENOENT"], write);
  if (size !== undefined) return size;
  makeFolderSync(dirname(path));
  return write();
}

/** What a full disk cut off stays a bad line of its own. A line that is being written looks the same for a moment. */
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
  const lock = `${path}.turning`;
  if (!takeRotationLock(lock)) return;
  try {
    // After the rotation by another process the file at the path is a new one.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return;
    if (files === 1) rmSync(path, { force: true });
    for (let n = files - 1; n >= 1; n--)
      ignoringErrorsSync(["ENOENT"], () => renameSync(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`));
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** The lock of a process that was killed expires. */
function takeRotationLock(lock: string): boolean {
  const isTaken = ignoringErrorsSync(["EEXIST"], () => {
    mkdirSync(lock, { mode: 0o700 });
    return true;
  });
  if (isTaken === true) return true;
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && since < Date.now() - 10_000) rmSync(lock, { recursive: true, force: true });
  return false;
}
