import { parseObject } from "../../protocol/internal.ts";
import { isBlank } from "./byte-source.ts";

/** A stretch of a damaged line: an object that was recovered, or bytes without one. */
export type LineStretch =
  | { readonly from: number; readonly to: number; readonly object: Record<string, unknown> }
  | { readonly from: number; readonly to: number; readonly object: undefined; readonly why: Damage };

type Damage = "not-json" | "nul-run" | "splice";

/**
 * Recovers objects from a line that is not JSON: both objects of a `}{` junction, a record after the beginning of another one, a
 * record between runs of NUL. `isRecord` distinguishes a record from an object nested in one. Takes time linear in the length.
 */
export function recoverObjects(bytes: Buffer, isRecord: (object: Record<string, unknown>) => boolean): LineStretch[] {
  const parts: LineStretch[] = [];
  let at = 0;
  while (at < bytes.length) {
    const isNul = bytes[at] === 0;
    const to = isNul ? endOfNuls(bytes, at) : endOfText(bytes, at);
    if (isNul) parts.push({ from: at, to, object: undefined, why: "nul-run" });
    else for (const part of objectsInText(bytes, at, to, isRecord)) parts.push(part);
    at = to;
  }
  const hasObject = parts.some((part) => part.object !== undefined);
  return parts.map((part) =>
    part.object === undefined && part.why === "not-json" && hasObject ? { ...part, why: "splice" } : part,
  );
}

function endOfNuls(bytes: Buffer, from: number): number {
  let to = from;
  while (to < bytes.length && bytes[to] === 0) to++;
  return to;
}

function endOfText(bytes: Buffer, from: number): number {
  const nul = bytes.indexOf(0, from);
  return nul < 0 ? bytes.length : nul;
}

function objectsInText(
  bytes: Buffer,
  start: number,
  stop: number,
  isRecord: (object: Record<string, unknown>) => boolean,
): LineStretch[] {
  const front: LineStretch[] = [];
  const back: LineStretch[] = [];
  let from = afterBlanks(bytes, start, stop);
  let to = beforeBlanks(bytes, from, stop);
  for (let end = closingBrace(bytes, from, to); end > 0; end = closingBrace(bytes, from, to)) {
    const object = parseObject(bytes.toString("utf8", from, end));
    if (object === undefined) break;
    front.push({ from, to: end, object });
    from = afterBlanks(bytes, end, to);
  }
  for (let begin = openingBrace(bytes, from, to); begin >= 0; begin = openingBrace(bytes, from, to)) {
    const object = parseObject(bytes.toString("utf8", begin, to));
    if (object === undefined || !isRecord(object)) break;
    back.push({ from: begin, to, object });
    to = beforeBlanks(bytes, from, begin);
  }
  if (from < to) front.push({ from, to, object: undefined, why: "not-json" });
  return front.concat(back.reverse());
}

function afterBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at])) at++;
  return at;
}

function beforeBlanks(bytes: Buffer, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(bytes[at - 1])) at--;
  return at;
}

const quote = 0x22;
const backslash = 0x5c;
const open = 0x7b;
const close = 0x7d;

/** One past the brace that closes the object beginning at `from`; -1 when it is not closed. */
function closingBrace(bytes: Buffer, from: number, to: number): number {
  if (from >= to || bytes[from] !== open) return -1;
  let depth = 0;
  let inText = false;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === backslash) at++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === open) depth++;
    else if (byte === close && --depth === 0) return at + 1;
  }
  return -1;
}

/** The brace that opens the object ending at `to`, searched backward; -1 when there is none. */
function openingBrace(bytes: Buffer, from: number, to: number): number {
  if (from >= to || bytes[to - 1] !== close) return -1;
  let depth = 0;
  let inText = false;
  for (let at = to - 1; at >= from; at--) {
    const byte = bytes[at];
    if (byte === quote && !isEscaped(bytes, from, at)) inText = !inText;
    else if (inText) continue;
    else if (byte === close) depth++;
    else if (byte === open && --depth === 0) return at;
  }
  return -1;
}

function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === backslash) slashes++;
  return slashes % 2 === 1;
}
