import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";

const chunkBytes = 64 * 2 ** 10;
const sniffBytes = 8_192;

/**
 * Reads the file to its end but keeps only the window, so the size of the file does not matter. A text of n breaks has n + 1 lines.
 * `digest` is the SHA-256 of every byte. `tooLarge`: the window has more characters than allowed. `binary`: a NUL among the first bytes.
 */
export async function readLineWindow(
  file: FileHandle,
  { first, count, mostChars }: { first: number; count: number; mostChars: number },
  signal: AbortSignal,
) {
  const hash = createHash("sha256");
  const decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(chunkBytes);
  const kept: string[] = [];
  let [line, chars, rest] = [1, 0, ""];
  let [binary, tooLarge] = [false, false];
  let position = 0;

  /** Keeps nothing of a line that is not wanted or too long. */
  function take(text: string, whole: boolean): void {
    const wanted = !tooLarge && line >= first && line < first + count;
    if (wanted) {
      rest += text;
      tooLarge = chars + rest.length > mostChars;
    }
    if (!whole) return;
    if (wanted) {
      kept.push(rest);
      chars += rest.length + 1;
    }
    rest = "";
    line += 1;
  }

  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    hash.update(bytes);
    if (position === 0) binary = bytes.subarray(0, sniffBytes).includes(0);
    position += bytesRead;
    const parts = decoder.write(bytes).split("\n");
    for (const [index, part] of parts.entries()) take(part, index < parts.length - 1);
  }
  take(decoder.end(), true);
  const lines = kept.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text));
  return { lines, totalLines: line - 1, digest: hash.digest("hex"), tooLarge, binary };
}

/** The image in a file, as its first bytes describe it. */
export interface ImageFacts {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly size: Size | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** By content, never by name: a file called .png may be anything. */
export function imageInfo(bytes: Buffer): ImageFacts | undefined {
  const text = bytes.toString("latin1", 0, 12);
  if (text.startsWith("\x89PNG\r\n\x1A\n")) return { mediaType: "image/png", size: pairAt(bytes, 16, "readUInt32BE") };
  if (/^GIF8[79]a/.test(text)) return { mediaType: "image/gif", size: pairAt(bytes, 6, "readUInt16LE") };
  if (text.startsWith("\xFF\xD8\xFF")) return { mediaType: "image/jpeg", size: jpegSize(bytes) };
  if (/^RIFF.{4}WEBP$/s.test(text)) return { mediaType: "image/webp", size: webpSize(bytes) };
  return undefined;
}

function pairAt(bytes: Buffer, at: number, read: "readUInt16LE" | "readUInt32BE"): Size | undefined {
  const step = read === "readUInt16LE" ? 2 : 4;
  return bytes.length < at + 2 * step ? undefined : { width: bytes[read](at), height: bytes[read](at + step) };
}

/** The first frame header among the segments; other segments are skipped by their length. */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (frame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
