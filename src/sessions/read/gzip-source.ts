import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { errorCode } from "../../files/internal.ts";
import { messageOf, Problem, plainLine } from "../../protocol/internal.ts";

/** Opens a gzip file of one or more members. Reading forward is cheap; reading backward unpacks from the start again. Contract: as `FileBytes`. */
export async function openGzip(path: string) {
  const { dev, ino, size } = await stat(path);
  // Even the archive of an empty file has bytes.
  let isCut = size === 0;
  const onCut = () => {
    isCut = true;
  };
  let stream = inflate(path, onCut);
  /** Unpacked bytes that follow `position`. */
  let chunk: Buffer = Buffer.alloc(0);
  let position = 0;

  /** Makes `chunk` begin at `offset`; false at the end of the file. */
  async function seek(offset: number): Promise<boolean> {
    if (offset < position) {
      await stream.return(undefined);
      stream = inflate(path, onCut);
      position = 0;
      chunk = Buffer.alloc(0);
    }
    while (position + chunk.length <= offset) {
      position += chunk.length;
      chunk = Buffer.alloc(0);
      const { value, done } = await stream.next();
      if (done) return false;
      chunk = value;
    }
    chunk = chunk.subarray(offset - position);
    position = offset;
    return true;
  }

  return {
    dev,
    ino,
    get isCut() {
      return isCut;
    },
    async read(into: Uint8Array, offset: number): Promise<number> {
      let filled = 0;
      while (filled < into.length && (await seek(offset + filled))) {
        const count = Math.min(chunk.length, into.length - filled);
        into.set(chunk.subarray(0, count), filled);
        filled += count;
      }
      return filled;
    },
    close: async (): Promise<void> => void (await stream.return(undefined)),
  };
}

async function* inflate(path: string, onCut: () => void): AsyncGenerator<Buffer, undefined, undefined> {
  const file = createReadStream(path);
  const gunzip = zlib().createGunzip();
  file.on("error", (error) => gunzip.destroy(error));
  file.pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    // The last member was cut off while it was written. Everything before the cut has been yielded.
    if (errorCode(error) !== "Z_BUF_ERROR") throw unreadableFile(path, error, "unpacked");
    onCut();
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

/** The problem for a file that cannot be opened, or an archive that cannot be unpacked. */
export function unreadableFile(path: string, cause: unknown, what: "read" | "unpacked" = "read"): Problem {
  if (cause instanceof Problem) return cause;
  const message = plainLine(`${path} cannot be ${what}: ${messageOf(cause)}`);
  return new Problem("sessions/unreadable-file", message, { about: { path }, cause });
}

/** Few users have archives, so zlib is loaded on first use. */
export function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

/** Unpacks all members; of one that was cut off, the bytes before the cut. */
export function unpack(bytes: Buffer): Buffer {
  const { gunzipSync, constants } = zlib();
  return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** The problem for an archive that was cut off, for readers that need all of it. */
export function cutArchive(path: string): Problem {
  const message = plainLine(`${path} cannot be read to its end: the archive is cut off`);
  const cause = new Error("the archive is cut off");
  return new Problem("sessions/unreadable-file", message, { about: { path, isCut: true }, cause });
}
