import { writeSync } from "node:fs";

/**
 * Writes the whole text, however slow the reader is. Returns false when it was not written: a closed pipe is not an error, and neither is
 * a failed write to stderr.
 */
export function writeFully(fd: 1 | 2, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE" || (fd === 2 && code !== "EAGAIN")) return false;
      if (code !== "EAGAIN") throw error;
      // The pipe is full and nonblocking: wait 2 ms.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return true;
}
