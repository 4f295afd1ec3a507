import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { messageOf, Problem, plainLine } from "../../protocol/internal.ts";
import type { FileBytes } from "./byte-source.ts";

/** A gzip file, of one member or many, as bytes at offsets. Going forward is cheap; going back starts over. */
export async function openGzip(path: string): Promise<FileBytes> {
  const { dev, ino, size } = await stat(path);
  // Even the archive of an empty file has bytes.
  let isCut = size === 0;
  const cut = () => {
    isCut = true;
  };
  let stream = inflate(path, cut);
  let position = 0;
  let rest: Buffer = Buffer.alloc(0);

  async function next(): Promise<boolean> {
    const { value, done } = await stream.next();
    if (done) return false;
    rest = value;
    return true;
  }

  async function seek(offset: number): Promise<boolean> {
    if (offset < position) {
      await stream.return(undefined);
      stream = inflate(path, cut);
      position = 0;
      rest = Buffer.alloc(0);
    }
    while (position + rest.length <= offset) {
      position += rest.length;
      rest = Buffer.alloc(0);
      if (position === offset && rest.length > 0) return true;
      if (!(await next())) return false;
    }
    rest = rest.subarray(offset - position);
    position = offset;
    return true;
  }

  return {
    dev,
    ino,
    get isCut() {
      return isCut;
    },
    async read(into, offset) {
      let filled = 0;
      while (filled < into.length && (await seek(offset + filled))) {
        const count = Math.min(rest.length, into.length - filled);
        into.set(rest.subarray(0, count), filled);
        filled += count;
      }
      return filled;
    },
    close: async () => void (await stream.return(undefined)),
  };
}

async function* inflate(path: string, onCut: () => void): AsyncGenerator<Buffer, undefined, undefined> {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  file.on("error", (error) => gunzip.destroy(error));
  file.pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    // A member that was cut off while it was written: what came before it has been handed out already.
    if (!isCutOff(error)) throw damaged(path, error);
    onCut();
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

function damaged(path: string, cause: unknown): Problem {
  return new Problem("sessions/unreadable-file", plainLine(`${path} cannot be unpacked: ${messageOf(cause)}`), {
    about: { path },
    cause,
  });
}

/** An archive without its end, for readers that cannot hand out its front alone. */
export function cutArchive(path: string): Problem {
  const message = plainLine(`${path} cannot be read to its end: the archive is cut off`);
  return new Problem("sessions/unreadable-file", message, {
    about: { path, isCut: true },
    cause: new Error("the archive is cut off"),
  });
}

function isCutOff(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";
}
