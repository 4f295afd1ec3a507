import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { JsonEnd } from "../../sdk/internal.ts";

/** One payload from standard input, or why there is none. */
export type Input = { readonly text: string } | { readonly fault: string };

const maxBytes = 25 * 2 ** 20;
const newline = 0x0a;
const closeBrace = 0x7d;

/**
 * Reads until one JSON object is complete and then stops: some hosts leave standard input open.
 * Contract: settles within `waitMs` of silence, and nothing is left behind that could keep the process from ending.
 */
export async function readInput(waitMs: number, head?: number): Promise<Input> {
  const chunks: Buffer[] = [];
  const end = new JsonEnd();
  let bytes = 0;
  let length: number | undefined;
  /** True when there is nothing more to read. */
  const take = (chunk: Buffer): boolean => {
    chunks.push(chunk);
    bytes += chunk.length;
    // Mostly the first piece is all; the parser that will read it anyhow finds that out faster than looking at every byte.
    if (chunks.length === 1 && isWhole(chunk)) return true;
    if (!end.feed(chunk)) return bytes > maxBytes;
    length = end.length;
    return true;
  };
  // What a client has read already comes first; it may be all.
  const whole = head !== undefined && fromFile(take, head) === "whole";
  const ended = whole ? "whole" : !isPipe() ? fromFile(take, 0) : (atOnce(take) ?? (await fromPipe(take, waitMs)));
  if (bytes > maxBytes) return { fault: `the payload is larger than ${maxBytes / 2 ** 20} MiB` };
  if (ended === "silence") return { fault: `no complete payload came within ${waitMs / 1000} s` };
  const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  return { text: all.toString("utf8", 0, length) };
}

function isWhole(chunk: Buffer): boolean {
  const last = chunk[chunk.length - 1] === newline ? chunk[chunk.length - 2] : chunk[chunk.length - 1];
  if (last !== closeBrace) return false;
  try {
    JSON.parse(chunk.toString("utf8"));
    return true;
  } catch {
    return false; // not yet, or never: whoever reads it says which
  }
}

function isPipe(): boolean {
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isSocket();
}

function fromFile(take: (chunk: Buffer) => boolean, file: number): "whole" | "end" {
  const buffer = Buffer.allocUnsafe(65_536);
  for (;;) {
    const length = readSync(file, buffer, 0, buffer.length, null);
    if (length === 0) return "end";
    if (take(Buffer.from(buffer.subarray(0, length)))) return "whole";
  }
}

/**
 * What lies in the pipe already: by the time a process is up, that is nearly always all of it, and looking costs a fiftieth of what the
 * event loop does. Undefined when more must be waited for, or when the system cannot open its own standard input once more.
 */
function atOnce(take: (chunk: Buffer) => boolean): "whole" | "end" | undefined {
  if (process.platform !== "linux") return undefined;
  let file: number | undefined;
  try {
    // A door of its own to the same pipe: not to wait is a trait of the door, and the other one is shared with the host.
    file = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
    return fromFile(take, file);
  } catch {
    return undefined; // EAGAIN: nothing more is there yet; anything else: the other way knows better
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A read that waits in a thread of its own would keep the process from ending, so pipes are read by the event loop. */
async function fromPipe(take: (chunk: Buffer) => boolean, waitMs: number): Promise<"end" | "silence"> {
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
  /** Undefined: the other side is done. */
  start(onChunk: (chunk: Buffer | undefined) => void): void;
  stop(): void;
}

/** The handle beneath `process.stdin`, without the streams above it: they cost a twentieth of a bare start of Node. */
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
    return undefined; // a Node that does not lend it: the public way costs a little more
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
