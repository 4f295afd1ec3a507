import { processIo } from "./io.ts";
import { main } from "./main.ts";

/** Every command but `run`: parsed, carried out, and ended with its status. */
export async function start(words: readonly string[]): Promise<void> {
  const { io, flush } = processIo(process);
  process.exitCode = await main(words, io);
  try {
    await flush();
  } catch {
    process.exitCode ||= 1; // the command that wrote has told why, unless nobody could be told
  }
}
