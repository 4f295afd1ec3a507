import { homeFolder } from "../files/internal.ts";
import type { Io } from "./command-line/command.ts";
import { interruption } from "./command-line/signals.ts";
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

/** The real world: the process's streams, environment and signals. `flush` waits until what was written has left. */
function processIo(process: NodeJS.Process): { io: Io; flush: () => Promise<void> } {
  const out = writerOf(process.stdout, process);
  const err = writerOf(process.stderr, process);
  const io: Io = {
    stdin: process.stdin,
    out,
    err,
    env: process.env,
    /** Asked for when it is needed: it may be gone, and then the command says so. */
    get cwd() {
      return process.cwd();
    },
    home: homeFolder(process.env),
    terminal: {
      out: process.stdout.isTTY === true,
      err: process.stderr.isTTY === true,
      colour: process.stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
      columns: process.stdout.columns ?? 80,
    },
    signal: interruption(process),
  };
  return { io, flush: async () => void (await Promise.all([out(""), err("")])) };
}

function writerOf(stream: NodeJS.WriteStream, process: NodeJS.Process): (text: string) => Promise<void> {
  // `hookline … | head` closes our stdout: that is the reader's wish, not an error worth a stack trace.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Any other error is told to whoever wrote.
    if (error.code === "EPIPE") process.exit(0);
  });
  return (text) =>
    new Promise((done, fail) => {
      stream.write(text, (error) => (error ? fail(error) : done()));
    });
}
