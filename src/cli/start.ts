import { homeFolder } from "../files/internal.ts";
import { saveCode, type UncachedCode } from "./code-cache.ts";
import type { Io } from "./command-line/command.ts";
import { abortOnSignal } from "./command-line/signals.ts";
import { main } from "./main.ts";

/** Runs every command but `run`, and sets the exit status. A command that succeeds saves the code that was compiled for it. */
export async function start(args: readonly string[], uncached?: UncachedCode): Promise<void> {
  const { io, flush } = processIo(process);
  process.exitCode = await main(args, io);
  try {
    await flush();
  } catch {
    process.exitCode ||= 1; // the write that failed has been reported where that was possible
  }
  if (uncached !== undefined && process.exitCode === 0) await saveCode(uncached, process.env);
}

/** The streams, environment and signals of the process. `flush` waits until all output is written. */
function processIo(process: NodeJS.Process): { io: Io; flush: () => Promise<void> } {
  const out = writerOf(process.stdout, process);
  const err = writerOf(process.stderr, process);
  const io: Io = {
    stdin: process.stdin,
    out,
    err,
    env: process.env,
    /** Read on demand: the directory may no longer exist. */
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
    signal: abortOnSignal(process),
  };
  return { io, flush: async () => void (await Promise.all([out(""), err("")])) };
}

function writerOf(stream: NodeJS.WriteStream, process: NodeJS.Process): (text: string) => Promise<void> {
  // `hookline … | head` closes stdout, which is not an error. The writer gets any other error.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
  });
  return (text) =>
    new Promise((done, fail) => {
      stream.write(text, (error) => (error ? fail(error) : done()));
    });
}
