import type { Readable } from "node:stream";
import { messageOf } from "../../../protocol/index.ts";
import { mostBytes, wholeCharacters } from "../keep.ts";

export interface Body {
  readonly text: string;
  /** Bytes that came beyond the cap before the sender was stopped. */
  readonly dropped: number;
  /** Why it is not whole, in words. */
  readonly trouble?: string;
}

/**
 * Contract: never rejects; keeps the first 1 MiB and then stops reading. Bytes are copied as they come: a body of one-byte pieces
 * would otherwise cost hundreds of bytes for each.
 */
export async function readBody(source: Readable): Promise<Body> {
  let bytes: Buffer = Buffer.allocUnsafe(4_096);
  let size = 0;
  let trouble: string | undefined;
  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      const room = Math.min(size + piece.length, mostBytes + spare);
      if (room > bytes.length) bytes = grown(bytes, size, room);
      size += piece.copy(bytes, size);
      if (size <= mostBytes) continue;
      trouble = "answered with more than 1 MiB";
      break;
    }
  } catch (error) {
    trouble = `broke off its answer (${messageOf(error)})`;
  }
  const kept = wholeCharacters(bytes.subarray(0, size), mostBytes);
  const text = bytes.toString("utf8", 0, kept);
  return { text, dropped: size - kept, ...(trouble === undefined ? {} : { trouble }) };
}

/** Room to see that there is more than the cap. */
const spare = 64 * 1024;

function grown(bytes: Buffer, size: number, room: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(room, Math.min(bytes.length * 2, mostBytes + spare)));
  bytes.copy(larger, 0, 0, size);
  return larger;
}
