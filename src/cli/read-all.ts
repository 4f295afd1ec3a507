import type { Io } from "./command-line/command.ts";

/** Standard input to its end. Contract: an interruption ends the wait for it, with the reason of the signal. */
export async function readAll({ stdin, signal }: Pick<Io, "stdin" | "signal">): Promise<string> {
  signal.throwIfAborted();
  const stop = (): void => void stdin.destroy?.(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks).toString("utf8");
}
