import { Readable } from "node:stream";
import type { Io } from "../../src/cli/command.ts";
import { main } from "../../src/cli/main.ts";

/** What `hookline WORDS --help` prints. */
export async function help(words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const keep = async (text: string): Promise<void> => void printed.push(text);
  const io: Io = {
    stdin: Readable.from([]),
    out: keep,
    err: keep,
    env: {},
    cwd: "/",
    home: "/",
    terminal: { out: false, err: false, colour: false, columns: 80 },
    signal: new AbortController().signal,
  };
  const status = await main([...words, "--help"], io);
  if (status !== 0) throw new Error(`hookline ${words.join(" ")} --help ended with ${status}: ${printed.join("")}`);
  return printed.join("");
}
