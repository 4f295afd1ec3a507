import type { Io } from "../command-line/command.ts";
import { sizeText } from "./figures.ts";

/** A line on stderr that grows while something long is read; nothing at all where there is no terminal to watch it. */
export interface ProgressLine {
  show(progress: { readonly bytes: number; readonly of: number }): void;
  /** Takes the line away. */
  end(): Promise<void>;
}

const quietMs = 400;
const everyMs = 100;

export function progressLine(what: string, { err, terminal }: Io): ProgressLine {
  const begun = performance.now();
  let last = begun + quietMs - everyMs;
  let isShown = false;
  return {
    show({ bytes, of }) {
      const now = performance.now();
      if (!terminal.err || now - last < everyMs || of === 0) return;
      last = now;
      isShown = true;
      const share = Math.min(100, Math.floor((bytes / of) * 100));
      void err(`\r\u001b[K${what} ${share} % of ${sizeText(of)}`);
    },
    async end() {
      if (isShown) await err("\r\u001b[K");
    },
  };
}
