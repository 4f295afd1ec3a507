import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { Problem } from "../protocol/index.ts";

/**
 * Reads a file at a place that others can write, such as a checkout. A link is followed.
 * Contract: a pipe or a device is `file/not-ours` at once, never a wait.
 */
export function readOrdinary(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    // Of a folder the system itself says what it is.
    if (!found.isFile() && !found.isDirectory()) {
      throw new Problem("file/not-ours", `${path} cannot be read: it is not a regular file. Remove it.`, {
        about: { path },
      });
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
