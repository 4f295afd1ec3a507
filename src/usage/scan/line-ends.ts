import { finder } from "./find-bytes.ts";

/** What the bytes around a line's type and at its end tell about lines that are no answers. */

const findsAnswer = finder('"type":"assistant"');
const tailBytes = 1024;

/**
 * True when a line that cannot matter ends as it should. One that does not may be damaged, and one that ends like an
 * answer may hold an answer glued behind a stub.
 */
export function endsWell(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[end - 1] !== 0x7d) return false;
  return !findsAnswer(bytes, Math.max(start, end - tailBytes), end);
}

const findsUsage = finder('"usage"');

export function holdsUsage(bytes: Buffer, start: number, end: number): boolean {
  return findsUsage(bytes, start, end);
}

const resultFronts: readonly Uint8Array[] = [
  Buffer.from(',"message":{"role":"user","content":[{"tool_use_id":'),
  Buffer.from(',"message":{"role":"user","content":[{"type":"tool_result"'),
];

/** A user line that carries a tool's result; behind the line's type, at the place where every client puts it. */
export function isResult(bytes: Buffer, typeEnd: number): boolean {
  return resultFronts.some((front) => isAt(front, bytes, typeEnd));
}

const promptFront: Uint8Array = Buffer.from(',"message":{"role":"user","content":"');
/** Words that make something else of a line than a prompt. */
const findsOther = ['"isMeta":', '"isCompactSummary":', '"origin":'].map(finder);

/** A user line that is surely a prompt: a text that begins with a letter, and nothing that says otherwise. */
export function isPlainPrompt(bytes: Buffer, typeEnd: number, end: number): boolean {
  if (!isAt(promptFront, bytes, typeEnd) || !isLetter(bytes[typeEnd + promptFront.length] ?? 0)) return false;
  return !findsOther.some((finds) => finds(bytes, typeEnd, end));
}

/** Commands, notifications and the like begin with a bracket, maybe behind blanks. */
function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

const tellingTypes: readonly Uint8Array[] = ['-title"', '"summary"', '"cost-state"'].map((text) => Buffer.from(text));

/** Lines of these types tell something about the session; by the end of the type's text. */
export function isTelling(bytes: Buffer, typeEnd: number): boolean {
  return tellingTypes.some((type) => isAt(type, bytes, typeEnd - type.length));
}

function isAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (text[index] !== bytes[at + index]) return false;
  return true;
}
