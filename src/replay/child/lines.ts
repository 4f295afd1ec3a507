import { writeSync } from "node:fs";

/** Whole lines of a stream. Not `readline`: that one takes further characters for line ends, which JSON may hold. */
export async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      pieces.push(rest.subarray(0, end));
      yield Buffer.concat(pieces).toString("utf8");
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  }
}

/** Contract: the line is handed over whole when it returns, however slow the reader. */
export function writeLine(text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      // The pipe is full and does not block by itself.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
