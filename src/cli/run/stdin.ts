import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { succeeds } from "../../protocol/internal.ts";
import { JsonEnd } from "../../sdk/internal.ts";

/** A payload from standard input, or why it cannot be read. */
export type Input = { readonly text: string } | { readonly fault: string };

const maxBytes = 25 * 2 ** 20;
const newline = 0x0a;
const closeBrace = 0x7d;

/**
 * Reads until one JSON object is complete, since some agents leave standard input open. Gives up after `waitMs` without data. Leaves no
 * handle that could keep the process alive.
 */
export async function readInput(waitMs: number, head?: number): Promise<Input> {
  const chunks: Buffer[] = [];
  const end = new JsonEnd();
  let bytes = 0;
  let length: number | undefined;
  /** Returns true when there is nothing more to read. */
  const take = (chunk: Buffer): boolean => {
    chunks.push(chunk);
    bytes += chunk.length;
    // The first chunk is usually everything, and JSON.parse finds that out faster than a scan of every byte.
    if (chunks.length === 1 && isComplete(chunk)) return true;
    if (!end.feed(chunk)) return bytes > maxBytes;
    length = end.length;
    return true;
  };
  // What the client has already read comes first. It can be everything.
  const whole = head !== undefined && readToEnd(take, head) === "whole";
  const ended = whole
    ? "whole"
    : !isPipe()
      ? readToEnd(take, 0)
      : (readAvailable(take) ?? (await readPipe(take, waitMs)));
  if (bytes > maxBytes) return { fault: `the payload is larger than ${maxBytes / 2 ** 20} MiB` };
  if (ended === "silence") return { fault: `no complete payload was received within ${waitMs / 1000} s` };
  const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  return { text: all.toString("utf8", 0, length) };
}

function isComplete(chunk: Buffer): boolean {
  const last = chunk[chunk.length - 1] === newline ? chunk[chunk.length - 2] : chunk[chunk.length - 1];
  // Incomplete, or invalid: the reader of the payload reports it.
  return last === closeBrace && succeeds(() => JSON.parse(chunk.toString("utf8")));
}

function isPipe(): boolean {
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isSocket();
}

function readToEnd(take: (chunk: Buffer) => boolean, file: number): "whole" | "end" {
  const buffer = Buffer.allocUnsafe(65_536);
  for (;;) {
    const length = readSync(file, buffer, 0, buffer.length, null);
    if (length === 0) return "end";
    if (take(Buffer.from(buffer.subarray(0, length)))) return "whole";
  }
}

/**
 * Reads what is already in the pipe. When the process is up, that is nearly always everything, and this costs a fiftieth of reading with
 * the event loop. Undefined when more is to come, or when standard input cannot be opened a second time.
 */
function readAvailable(take: (chunk: Buffer) => boolean): "whole" | "end" | undefined {
  if (process.platform !== "linux") return undefined;
  let file: number | undefined;
  try {
    // A second descriptor for the pipe: O_NONBLOCK on the first one would affect the agent, which shares it.
    file = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
    return readToEnd(take, file);
  } catch {
    return undefined; // EAGAIN: nothing more yet; other errors: the event loop reads the pipe
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads with the event loop: a blocking read in a thread would keep the process alive. */
async function readPipe(take: (chunk: Buffer) => boolean, waitMs: number): Promise<"end" | "silence"> {
  const open = pipeHandle() ?? (await socketHandle());
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const done = (how: "end" | "silence") => {
      clearTimeout(timer);
      open.stop();
      resolve(how);
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => done("silence"), waitMs);
    };
    wait();
    open.start((chunk) => {
      if (chunk === undefined || take(chunk)) return done("end");
      wait();
    });
  });
}

interface Handle {
  /** Undefined: the end of the input. */
  start(onChunk: (chunk: Buffer | undefined) => void): void;
  stop(): void;
}

/** The handle below `process.stdin`, without the streams above it: they cost a twentieth of a bare start of Node. */
function pipeHandle(): Handle | undefined {
  type Pipe = {
    open(fd: number): number;
    readStart(): number;
    readStop(): number;
    onread: (data?: ArrayBuffer) => void;
  };
  type Binding = { Pipe: new (kind: number) => Pipe; constants: { SOCKET: number } };
  try {
    const binding = (process as unknown as { binding(name: string): Binding }).binding("pipe_wrap");
    const pipe = new binding.Pipe(binding.constants.SOCKET);
    if (pipe.open(0) !== 0) return undefined;
    return {
      start(onChunk) {
        pipe.onread = (data) => onChunk(data === undefined ? undefined : Buffer.from(data));
        pipe.readStart();
      },
      stop: () => void pipe.readStop(),
    };
  } catch {
    return undefined; // this Node does not expose it: node:net costs a little more
  }
}

async function socketHandle(): Promise<Handle> {
  const { Socket } = await import("node:net");
  const socket = new Socket({ fd: 0, readable: true, writable: false });
  return {
    start(onChunk) {
      socket.on("data", (chunk: Buffer) => onChunk(chunk));
      socket.on("end", () => onChunk(undefined));
      socket.on("error", () => onChunk(undefined));
    },
    stop: () => void socket.pause(),
  };
}
