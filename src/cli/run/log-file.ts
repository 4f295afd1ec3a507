import { closeSync, constants, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { statePath } from "../../files/index.ts";
import type { LogRecord } from "../../sdk/index.ts";

const maxBytes = 5 * 2 ** 20;
const files = 3;

/**
 * Appends a record as one line to the hook log. Contract: one write per line, so that lines of many processes do not mix; a log that
 * cannot be written is told of and changes nothing.
 */
export function appendLog(
  record: LogRecord,
  env: Readonly<Record<string, string | undefined>>,
  complain: (line: string) => void,
): void {
  try {
    const path = join(statePath({ env }), "log", "hooks.jsonl");
    const file = open(path);
    try {
      writeSync(file, `${JSON.stringify(record)}\n`);
      if (fstatSync(file).size > maxBytes) rotate(path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    complain(`The hook log cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A link at the path is not followed. */
function open(path: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, flags, 0o600);
  }
}

/** One process turns the files over; whoever comes meanwhile leaves it to that one. */
function rotate(path: string): void {
  const turn = `${path}.turning`;
  try {
    mkdirSync(turn, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  try {
    for (let n = files - 1; n >= 1; n--) {
      const from = n === 1 ? path : `${path}.${n - 1}`;
      rmSync(`${path}.${n}`, { force: true });
      renameIfThere(from, `${path}.${n}`);
    }
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
