import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The lines of files, oldest first; one that is not there has none. */
export async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  const opened = await openAll(files);
  try {
    for (const file of opened) {
      const rest = new Rest();
      yield* readOn(file, rest);
      const left = await lastOf(file, rest);
      if (left !== "") yield left;
    }
  } finally {
    await closeAll(opened);
  }
}

/**
 * The same, and then what is written to the last of them, and to those that take its place when files are turned over.
 * Contract: no line is told twice or left out, as long as a file is there when its turn comes; ends when the signal aborts.
 */
export async function* follow(
  files: readonly string[],
  signal: AbortSignal,
  pause: () => Promise<unknown> = () => sleep(pollMs, undefined, { signal }),
): AsyncGenerator<string> {
  let rest = new Rest();
  const opened = await openAll(files);
  let file: FileHandle | undefined;
  try {
    while (!signal.aborted) {
      const next = opened.shift() ?? (await openNext(file, files));
      if (next !== undefined) {
        // What was written between the last read and the turn is still in the old file.
        if (file !== undefined) yield* readOn(file, rest);
        await file?.close();
        file = next;
        rest = new Rest();
      }
      if (file !== undefined) yield* readOn(file, rest);
      // The pause fails when the signal aborts, and then the loop ends.
      if (next === undefined) await pause().catch(() => undefined);
    }
  } finally {
    await closeAll(file === undefined ? opened : [file, ...opened]);
  }
}

const pollMs = 200;

/** Newest first, for files move to older names meanwhile: then one is met twice, and none is missed. */
async function openAll(files: readonly string[]): Promise<FileHandle[]> {
  const opened: FileHandle[] = [];
  const known = new Set<number>();
  for (const path of [...files].reverse()) {
    const file = await openIfThere(path);
    if (file === undefined) continue;
    const { ino } = await file.stat();
    if (known.has(ino)) await file.close();
    else opened.unshift(file);
    known.add(ino);
  }
  return opened;
}

async function closeAll(files: readonly FileHandle[]): Promise<void> {
  await Promise.all(files.map((file) => file.close()));
}

/** The file that was begun after this one: the one before it in name, or the oldest when it has been thrown away. */
async function openNext(file: FileHandle | undefined, files: readonly string[]): Promise<FileHandle | undefined> {
  const own = (await file?.stat())?.ino;
  for (;;) {
    const inos = await inosOf(files);
    const at = inos.lastIndexOf(own);
    const path = files.find((_, index) => inos[index] !== undefined && index > (own === undefined ? -1 : at));
    const next = path === undefined ? undefined : await openIfThere(path);
    // Whoever turned the files over meanwhile gave the name to another one.
    if (next === undefined || (await next.stat()).ino === inos[files.indexOf(path ?? "")]) return next;
    await next.close();
  }
}

async function inosOf(files: readonly string[]): Promise<readonly (number | undefined)[]> {
  const inos: (number | undefined)[] = [];
  for (const path of [...files].reverse()) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    inos.unshift(found?.ino);
  }
  return inos;
}

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

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
