import { createInterface } from "node:readline";
import type { Io } from "./command.ts";

/** Whether a person sits there to be asked. */
export function canAsk({ stdin, terminal }: Io): boolean {
  return stdin.isTTY === true && terminal.err;
}

/** Puts a question to the person and gives the line they typed; empty when they typed none or went away. */
export async function askLine(question: string, io: Io): Promise<string> {
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
