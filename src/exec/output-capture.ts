export type Capture = ReturnType<typeof capture>;

/** The first bytes of a stream, at most `capBytes`. */
export function capture(capBytes: number) {
  // Almost every process answers in one chunk, which is kept without copying; only a second one needs a new buffer.
  let bytes: Buffer = nothing;
  let length = 0;
  let dropped = 0;

  function add(chunk: Buffer): void {
    const room = capBytes - length;
    // After something was dropped nothing more is kept: the text would have an invisible gap.
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
    /** Bytes kept so far. */
    get lengthBytes(): number {
      return length;
    },
    get droppedBytes(): number {
      return dropped;
    },
    add,
    /** Drops the kept bytes from this one on, which frees room. */
    cutTo(lengthBytes: number): void {
      length = Math.min(length, lengthBytes);
    },
    text: (from = 0, to = length) => bytes.toString("utf8", from, Math.min(to, length)),
    output(): CapturedOutput {
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

/** The length without a UTF-8 character that was cut in two by the cap. */
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

/**
 * Called with each line of stdout as it arrives, without its line break, while stdout is under its cap. A last line without a break is
 * passed (`whole` false) after a short pause, and again if it grows.
 * Contract: must not throw. `keep` leaves the line in stdout, `take` removes it, `keep-all` keeps it and all that follows without further calls.
 */
export type OnLine = (line: string, whole: boolean) => LineDecision;
export type LineDecision = "keep" | "take" | "keep-all";

/** Fills a capture line by line; `onLine` decides what happens to each line. */
export function captureLines(kept: Capture, onLine: OnLine) {
  let watching = true;
  let lineStart = 0;
  let rest: NodeJS.Timeout | undefined;

  function add(chunk: Buffer): void {
    clearTimeout(rest);
    let from = 0;
    while (watching) {
      const end = chunk.indexOf(lineBreak, from) + 1;
      if (end === 0) break;
      kept.add(chunk.subarray(from, end));
      from = end;
      show(true);
    }
    if (from < chunk.length) kept.add(from === 0 ? chunk : chunk.subarray(from));
    if (watching && kept.droppedBytes > 0) watching = false;
    if (watching && kept.lengthBytes > lineStart) rest = setTimeout(show, restMs, false);
  }

  function show(whole: boolean): void {
    // Bytes of this line were dropped: it is incomplete, and nothing after it is shown.
    if (kept.droppedBytes > 0) {
      watching = false;
      return;
    }
    const disposition = onLine(kept.text(lineStart, kept.lengthBytes - (whole ? 1 : 0)), whole);
    if (disposition === "take") kept.cutTo(lineStart);
    if (disposition === "keep-all") watching = false;
    if (whole) lineStart = kept.lengthBytes;
  }

  return {
    add,
    stop(): void {
      clearTimeout(rest);
      watching = false;
    },
  };
}

const lineBreak = 0x0a;

/** Long enough for a line to arrive in pieces, short enough for a process that waits for an answer. */
const restMs = 50;

/** The beginning of a stream as text, up to the cap, and how many bytes after it were dropped. */
export interface CapturedOutput {
  readonly text: string;
  readonly droppedBytes: number;
}
