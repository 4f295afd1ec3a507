import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The lines of files, one after another; a file that is not there has none. */
export async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  for (const path of files) {
    const file = await openIfThere(path);
    if (file === undefined) continue;
    try {
      const rest = new Rest();
      yield* readOn(file, rest);
      const left = await lastOf(file, rest);
      if (left !== "") yield left;
    } finally {
      await file.close();
    }
  }
}

/**
 * The lines of a file that is being written, and of the one that takes its place when it is turned over.
 * Contract: ends when the signal aborts.
 */
export async function* follow(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const rest = new Rest();
  let file = await openIfThere(path);
  try {
    while (!signal.aborted) {
      if (file !== undefined) yield* readOn(file, rest);
      if (file === undefined || (await isTurned(file, path))) {
        // What was written between the last read and the turn is still in the old file.
        if (file !== undefined) yield* readOn(file, rest);
        await file?.close();
        file = await openIfThere(path);
        rest.at = 0;
      }
      // The pause fails when the signal aborts, and then the loop ends.
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await file?.close();
  }
}

const pollMs = 200;

/** Where we are in a file, and the beginning of a line that has not ended yet. */
class Rest {
  at = 0;
  text = "";
}

async function* readOn(file: FileHandle, rest: Rest): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(64 * 1024);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, rest.at);
    if (bytesRead === 0) return;
    // Whole lines only: a character may lie on the border of two reads.
    const end = chunk.subarray(0, bytesRead).lastIndexOf(0x0a) + 1 || (bytesRead === chunk.length ? bytesRead : 0);
    if (end === 0) return;
    rest.at += end;
    const lines = (rest.text + decoder.decode(chunk.subarray(0, end), { stream: true })).split("\n");
    rest.text = lines.pop() ?? "";
    yield* lines;
  }
}

/** What a file ends with when that is no whole line. */
async function lastOf(file: FileHandle, rest: Rest): Promise<string> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.max(0, size - rest.at));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, rest.at);
  return rest.text + bytes.subarray(0, bytesRead).toString();
}

async function isTurned(file: FileHandle, path: string): Promise<boolean> {
  try {
    return (await stat(path)).ino !== (await file.stat()).ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false; // the new file comes with the next line
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
