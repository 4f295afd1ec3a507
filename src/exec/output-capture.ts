import type { Output } from "./finished.ts";

/** The first bytes of a stream. Holds at most `capBytes`, however much comes and in however many pieces. */
export interface Capture {
  /** Kept bytes so far. */
  readonly lengthBytes: number;
  readonly droppedBytes: number;
  add(chunk: Buffer): void;
  /** Forgets what was kept from this byte on, which makes room again. */
  cutTo(lengthBytes: number): void;
  text(fromByte?: number, toByte?: number): string;
  output(): Output;
}

export function capture(capBytes: number): Capture {
  // Almost every process answers in one chunk, which is kept as it is; only a second one makes a buffer of our own.
  let bytes: Buffer = nothing;
  let length = 0;
  let dropped = 0;

  function add(chunk: Buffer): void {
    const room = capBytes - length;
    // After something was dropped nothing more is kept: the text would have a hole that nobody sees.
    if (room <= 0 || dropped > 0) {
      dropped += chunk.length;
      return;
    }
    const fits = chunk.length <= room ? chunk : chunk.subarray(0, room);
    dropped += chunk.length - fits.length;
    if (length === 0) bytes = fits;
    else if (length + fits.length <= bytes.length) fits.copy(bytes, length);
    else bytes = grown(bytes, length, fits, capBytes);
    length += fits.length;
  }

  return {
    get lengthBytes() {
      return length;
    },
    get droppedBytes() {
      return dropped;
    },
    add,
    cutTo(lengthBytes) {
      length = Math.min(length, lengthBytes);
    },
    text: (from = 0, to = length) => bytes.toString("utf8", from, Math.min(to, length)),
    output() {
      if (dropped === 0) return { text: bytes.toString("utf8", 0, length), droppedBytes: 0 };
      const whole = wholeCharacters(bytes, length);
      return { text: bytes.toString("utf8", 0, whole), droppedBytes: dropped + length - whole };
    },
  };
}

const nothing = Buffer.alloc(0);

function grown(bytes: Buffer, length: number, chunk: Buffer, capBytes: number): Buffer {
  const needed = length + chunk.length;
  // Doubling keeps the copying linear even when a process writes byte by byte.
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(needed * 2, capBytes)));
  bytes.copy(larger, 0, 0, length);
  chunk.copy(larger, length);
  return larger;
}

/** The length without a UTF-8 character that the cap cut in two. */
function wholeCharacters(bytes: Buffer, length: number): number {
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return size > back ? length - back : length;
  }
  return length;
}
