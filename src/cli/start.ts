import { homeFolder } from "../files/internal.ts";
import { saveCode, type UncachedCode } from "./code-cache.ts";
import type { Io } from "./command-line/command.ts";
import { signalNames } from "./command-line/signals.ts";
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
  const out = writerOf(() => process.stdout, process);
  const err = writerOf(() => process.stderr, process);
  const io: Io = {
    get stdin() {
      return process.stdin;
    },
    out: out.write,
    err: err.write,
    env: process.env,
    /** Read on demand: the directory may no longer exist. */
    get cwd() {
      return process.cwd();
    },
    home: homeFolder(process.env),
    terminal: terminalOf(process),
    signal: abortOnSignal(process),
  };
  return { io, flush: async () => void (await Promise.all([out.flush(), err.flush()])) };
}

/** Asked for on demand, because it opens the streams. */
function terminalOf(process: NodeJS.Process): Io["terminal"] {
  const isTerminal = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true;
  return {
    get out() {
      return isTerminal(process.stdout);
    },
    get err() {
      return isTerminal(process.stderr);
    },
    get colour() {
      return isTerminal(process.stdout) && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
    },
    get columns() {
      return isTerminal(process.stdout) ? (process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
    },
  };
}

/** Writes to a stream that is opened with the first text: opening one takes a millisecond, and few commands use both. */
function writerOf(open: () => NodeJS.WriteStream, process: NodeJS.Process) {
  let stream: NodeJS.WriteStream | undefined;
  function opened(): NodeJS.WriteStream {
    // `hookline … | head` closes stdout, which is not an error. The writer gets any other error.
    stream ??= open().on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
    });
    return stream;
  }
  const write = (text: string): Promise<void> =>
    new Promise((done, fail) => {
      opened().write(text, (error) => (error ? fail(error) : done()));
    });
  return { write, flush: async (): Promise<void> => stream && write("") };
}

/** Aborted by the first signal. A later one ends the process, unless the command handles signals itself. */
export function abortOnSignal(process: NodeJS.Process): AbortSignal {
  const abort = new AbortController();
  let firstMs = 0;
  for (const name of signalNames) {
    process.on(name, () => {
      if (!abort.signal.aborted) {
        firstMs = performance.now();
        abort.abort(new Error(`interrupted by ${name}`));
      } else if (process.listenerCount(name) === 1 && performance.now() - firstMs > sameSignalMs) process.exit(130);
    });
  }
  return abort.signal;
}

/** Under npm, Ctrl-C reaches a process twice. A second signal within this time is the same one. */
const sameSignalMs = 500;
