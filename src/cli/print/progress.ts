import type { Io } from "../command-line/command.ts";
import { sizeText } from "./figures.ts";

/** A progress line on stderr. Without a terminal nothing is printed. */
export interface ProgressLine {
  show(progress: string | ByteProgress): void;
  /** Removes the line. */
  end(): Promise<void>;
}

interface ByteProgress {
  readonly bytes: number;
  readonly of: number;
}

const quietMs = 400;
const everyMs = 100;

/** Shows nothing for the first 400 ms, and then at most ten updates a second. */
export function progressLine(what: string, { err, terminal }: Pick<Io, "err" | "terminal">): ProgressLine {
  let last = performance.now() + quietMs - everyMs;
  let isShown = false;
  return {
    show(progress) {
      const now = performance.now();
      const text = typeof progress === "string" ? progress : shareText(progress);
      if (!terminal.err || now - last < everyMs || text === "") return;
      last = now;
      isShown = true;
      void err(`\r\u001b[K${what} ${text}`);
    },
    async end() {
      if (isShown) await err("\r\u001b[K");
    },
  };
}

function shareText({ bytes, of }: ByteProgress): string {
  return of === 0 ? "" : `${Math.min(100, Math.floor((bytes / of) * 100))} % of ${sizeText(of)}`;
}
