import type { Capture } from "./output-capture.ts";

/**
 * Sees each line of stdout as it arrives, without its line break, while stdout is under its cap. A last line without a break is shown
 * (`whole` false) once it has rested for a moment, and again if it grows.
 * Contract: must not throw. `keep` leaves the line in stdout, `take` takes it out, `keep-all` keeps it and all that follows unseen.
 */
export type OnLine = (line: string, whole: boolean) => LineFate;
export type LineFate = "keep" | "take" | "keep-all";

export interface LineWatch {
  add(chunk: Buffer): void;
  stop(): void;
}

/** Fills a capture line by line, asking about each line what becomes of it. */
export function watchLines(kept: Capture, onLine: OnLine): LineWatch {
  let watching = true;
  let lineStart = 0;
  let rest: NodeJS.Timeout | undefined;

  function add(chunk: Buffer): void {
    clearTimeout(rest);
    let from = 0;
    while (watching) {
      const end = chunk.indexOf(lineBreak, from) + 1;
      if (end === 0) break;
      kept.add(chunk.subarray(from, end));
      from = end;
      show(true);
    }
    if (from < chunk.length) kept.add(from === 0 ? chunk : chunk.subarray(from));
    if (watching && kept.droppedBytes > 0) watching = false;
    if (watching && kept.lengthBytes > lineStart) rest = setTimeout(show, restMs, false);
  }

  function show(whole: boolean): void {
    // Bytes were dropped within this line: it is not a line any more, and nothing behind it is seen.
    if (kept.droppedBytes > 0) {
      watching = false;
      return;
    }
    const fate = onLine(kept.text(lineStart, kept.lengthBytes - (whole ? 1 : 0)), whole);
    if (fate === "take") kept.cutTo(lineStart);
    if (fate === "keep-all") watching = false;
    if (whole) lineStart = kept.lengthBytes;
  }

  return {
    add,
    stop() {
      clearTimeout(rest);
      watching = false;
    },
  };
}

const lineBreak = 0x0a;

/** Long enough for a line to arrive in pieces, short enough for somebody who waits for an answer. */
const restMs = 50;
