import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ignoringErrors } from "../../files/internal.ts";

/** The lines of log files, oldest file first. Missing files are skipped. */
export async function* readLog(files: readonly string[]): AsyncGenerator<string> {
  const opened = await openAll(files);
  try {
    for (const file of opened) {
      const lines = (await file.readFile("utf8")).split("\n");
      yield* lines.at(-1) === "" ? lines.slice(0, -1) : lines;
    }
  } finally {
    await closeAll(opened);
  }
}

/**
 * Also yields lines that are written later to the last file, and to the files that replace it when the log is rotated. No line is yielded
 * twice or skipped, as long as a file exists when it is its turn. Ends when the signal aborts.
 */
export async function* followLog(
  files: readonly string[],
  signal: AbortSignal,
  pause: () => Promise<unknown> = () => sleep(pollMs, undefined, { signal }),
): AsyncGenerator<string> {
  let rest = new PartialLine();
  const opened = await openAll(files);
  let file: FileHandle | undefined;
  try {
    while (!signal.aborted) {
      const next = opened.shift() ?? (await openNext(file, files));
      if (next !== undefined) {
        // Lines written between the last read and the rotation are in the old file.
        if (file !== undefined) yield* readNewLines(file, rest);
        await file?.close();
        file = next;
        rest = new PartialLine();
      }
      if (file !== undefined) yield* readNewLines(file, rest);
      // The pause is rejected when the signal aborts, which ends the loop.
      if (next === undefined) await pause().catch(() => undefined);
    }
  } finally {
    await closeAll(file === undefined ? opened : [file, ...opened]);
  }
}

const pollMs = 200;

/** Opens the newest first: when the log is rotated meanwhile, a file is found twice and none is missed. */
async function openAll(files: readonly string[]): Promise<FileHandle[]> {
  const opened: FileHandle[] = [];
  const known = new Set<number>();
  for (const path of [...files].reverse()) {
    const file = await openIfExists(path);
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

/** The file that was started after this one, or the oldest file when this one has been deleted. */
async function openNext(file: FileHandle | undefined, files: readonly string[]): Promise<FileHandle | undefined> {
  const own = (await file?.stat())?.ino;
  for (;;) {
    const inos = await inosOf(files);
    const at = inos.lastIndexOf(own);
    const path = files.find((_, index) => inos[index] !== undefined && index > (own === undefined ? -1 : at));
    const next = path === undefined ? undefined : await openIfExists(path);
    // A rotation in between has given the name to another file.
    if (next === undefined || (await next.stat()).ino === inos[files.indexOf(path ?? "")]) return next;
    await next.close();
  }
}

async function inosOf(files: readonly string[]): Promise<readonly (number | undefined)[]> {
  const inos: (number | undefined)[] = [];
  for (const path of [...files].reverse()) {
    inos.unshift((await ignoringErrors(["ENOENT"], stat(path)))?.ino);
  }
  return inos;
}

/** The position in a file, and the beginning of a line that is not complete yet, as bytes: two reads can split a character. */
class PartialLine {
  at = 0;
  bytes: Buffer[] = [];
}

async function* readNewLines(file: FileHandle, rest: PartialLine): AsyncGenerator<string> {
  const chunk = Buffer.alloc(64 * 1024);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, rest.at);
    if (bytesRead === 0) return;
    rest.at += bytesRead;
    const read = Buffer.from(chunk.subarray(0, bytesRead));
    const end = read.lastIndexOf(0x0a);
    if (end >= 0) {
      const lines = Buffer.concat([...rest.bytes, read.subarray(0, end)]).toString("utf8");
      rest.bytes = [];
      yield* lines.split("\n");
    }
    rest.bytes.push(read.subarray(end + 1));
  }
}

function openIfExists(path: string): Promise<FileHandle | undefined> {
  return ignoringErrors(["ENOENT"], open(path, "r"));
}
