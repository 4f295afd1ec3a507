import { openFile, unreadableFile } from "./byte-source.ts";

const chunkBytes = 512 * 1024;

/** A whole JSON string: inside another one its quotes would have backslashes. */
const boundary = Buffer.from('"compact_boundary"');

/** Where the last line begins that may be a compaction. */
export function lastBoundaryLine(file: string): Promise<number | undefined> {
  return lastLineWith(boundary, file);
}

/**
 * Where the last line begins that holds a mark, found from the end of the file without reading what lies before it. Undefined when there
 * is none. What the line really is, its parser says.
 */
export async function lastLineWith(mark: Buffer, file: string): Promise<number | undefined> {
  const handle = await openFile(file).catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  try {
    let found = -1;
    const buffer = Buffer.allocUnsafeSlow(chunkBytes + mark.length);
    for (let end = (await handle.stat()).size; end > 0; end = Math.max(0, end - chunkBytes)) {
      const from = Math.max(0, end - chunkBytes);
      // A mark may lie across two chunks. Once it is found, only the beginning of its line is looked for.
      const wanted = found < 0 ? end - from + mark.length - 1 : end - from;
      const { bytesRead } = await handle.read(buffer, 0, wanted, from);
      const chunk = buffer.subarray(0, bytesRead);
      const at = found < 0 ? chunk.lastIndexOf(mark) : chunk.length;
      if (at < 0) continue;
      if (found < 0) found = from + at;
      const newline = at === 0 ? -1 : chunk.lastIndexOf(10, at - 1);
      if (newline >= 0) return from + newline + 1;
    }
    return found < 0 ? undefined : 0;
  } finally {
    await handle.close();
  }
}
