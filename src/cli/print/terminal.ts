import { escapeJson } from "../../protocol/internal.ts";
import type { Io } from "../command-line/command.ts";
import { sizeText } from "./figures.ts";

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** Colors on a terminal, plain text elsewhere. */
export function styleFor({ terminal }: Io): Style {
  const paint = (code: number) => (text: string) => (terminal.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, paint(code)])) as Style;
}

/** One JSON value for a terminal or a pipe, with control characters escaped. */
export function jsonText(value: unknown, indent: number | undefined = 2): string {
  return `${escapeJson(JSON.stringify(value, null, indent))}\n`;
}

const quietMs = 400;
const everyMs = 100;

interface ByteProgress {
  readonly bytes: number;
  readonly of: number;
}

/**
 * A progress line on stderr: nothing for the first 400 ms, and then at most ten updates a second. Without a terminal nothing is printed.
 */
export function progressLine(what: string, { err, terminal }: Pick<Io, "err" | "terminal">) {
  let last = performance.now() + quietMs - everyMs;
  let isShown = false;
  return {
    show(progress: string | ByteProgress): void {
      const now = performance.now();
      const text = typeof progress === "string" ? progress : shareText(progress);
      if (!terminal.err || now - last < everyMs || text === "") return;
      last = now;
      isShown = true;
      void err(`\r\u001b[K${what} ${text}`);
    },
    /** Removes the line. */
    async end(): Promise<void> {
      if (isShown) await err("\r\u001b[K");
    },
  };
}

function shareText({ bytes, of }: ByteProgress): string {
  return of === 0 ? "" : `${Math.min(100, Math.floor((bytes / of) * 100))} % of ${sizeText(of)}`;
}
