import type { Readable } from "node:stream";
import type { Capture } from "./output-capture.ts";

/**
 * Reads a stream to its end, whatever its size, and says once that it is over. `add` puts each chunk into `kept` in its own way.
 * Once the cap is reached a flood is read with short rests, so that the collector of memory keeps up and others get their turn.
 */
export function readStream(stream: Readable, kept: Capture, add: (chunk: Buffer) => void, onEnd: () => void): void {
  let droppedAtRest = 0;
  stream.on("data", (chunk: Buffer) => {
    add(chunk);
    if (kept.droppedBytes - droppedAtRest < restAfterBytes) return;
    droppedAtRest = kept.droppedBytes;
    stream.pause();
    setTimeout(() => stream.resume(), restMs);
  });
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    onEnd();
  };
  // The end comes before the closing, which is not worth waiting for; a broken pipe closes without an end.
  stream.on("end", finish);
  stream.on("close", finish);
}

/** Rests are few, because on a busy machine each may last much longer than asked for. */
const restAfterBytes = 8 * 2 ** 20;
const restMs = 1;
