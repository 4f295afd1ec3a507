import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";

/** Some lines of a file, and what all of it was. */
export interface LineWindow {
  readonly lines: readonly string[];
  readonly totalLines: number;
  /** SHA-256 of every byte. */
  readonly digest: string;
  /** The lines of the window hold more than was allowed; `lines` ends early. */
  readonly tooLarge: boolean;
  /** A NUL among the first bytes: not a text. */
  readonly binary: boolean;
}

const chunkBytes = 64 * 2 ** 10;
const sniffBytes = 8_192;

/** Reads the file to its end but keeps only the window, so the size of the file does not matter. A text of n breaks has n + 1 lines. */
export async function readWindow(
  file: FileHandle,
  { first, count, mostChars }: { first: number; count: number; mostChars: number },
  signal: AbortSignal,
): Promise<LineWindow> {
  const hash = createHash("sha256");
  const decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(chunkBytes);
  const kept: string[] = [];
  let [line, chars, rest] = [1, 0, ""];
  let [binary, tooLarge] = [false, false];
  let position = 0;

  /** Of a line that is not wanted, or is too long, nothing is kept. */
  function take(text: string, whole: boolean): void {
    const wanted = !tooLarge && line >= first && line < first + count;
    if (wanted) {
      rest += text;
      tooLarge = chars + rest.length > mostChars;
    }
    if (!whole) return;
    if (wanted) {
      kept.push(rest);
      chars += rest.length + 1;
    }
    rest = "";
    line += 1;
  }

  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    hash.update(bytes);
    if (position === 0) binary = bytes.subarray(0, sniffBytes).includes(0);
    position += bytesRead;
    const parts = decoder.write(bytes).split("\n");
    for (const [index, part] of parts.entries()) take(part, index < parts.length - 1);
  }
  take(decoder.end(), true);
  const lines = kept.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text));
  return { lines, totalLines: line - 1, digest: hash.digest("hex"), tooLarge, binary };
}
