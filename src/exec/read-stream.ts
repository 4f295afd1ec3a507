import type { Readable } from "node:stream";
import type { Capture } from "./capture.ts";

/**
 * Reads a stream to its end, whatever its size. `add` puts each chunk into `kept` in its own way. Once the cap is reached a flood is
 * read with short rests: the process gets on, but neither this one's time nor its memory goes to throwing bytes away.
 */
export function readStream(stream: Readable, kept: Capture, add: (chunk: Buffer) => void): void {
  let droppedAtRest = 0;
  stream.on("data", (chunk: Buffer) => {
    add(chunk);
    if (kept.droppedBytes - droppedAtRest < restAfterBytes) return;
    droppedAtRest = kept.droppedBytes;
    stream.pause();
    setTimeout(() => stream.resume(), restMs);
  });
}

/** About 600 MB/s, and memory that the collector can keep up with. */
const restAfterBytes = 2 ** 20;
const restMs = 1;
