import { createInterface } from "node:readline";
import type { Io } from "./command.ts";

/** Whether a user can be asked. */
export function isInteractive({ stdin, terminal }: Io): boolean {
  return stdin.isTTY === true && terminal.err;
}

/** Asks the user for a line. Returns an empty string when the input ends or the command is interrupted. */
export async function promptLine(question: string, io: Io): Promise<string> {
  await io.err(question);
  const lines = createInterface({ input: io.stdin, terminal: false });
  try {
    return await new Promise<string>((answered) => {
      lines.once("line", (line) => answered(line.trim()));
      lines.once("close", () => answered(""));
      io.signal.addEventListener("abort", () => answered(""), { once: true });
    });
  } finally {
    lines.close();
  }
}
