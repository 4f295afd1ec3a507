const promptFront = Buffer.from(',"message":{"role":"user","content":"');
/** Words that make something else of a line than a prompt. */
const others = ['"isMeta":', '"isCompactSummary":', '"origin":'];

/** A user line that is surely a prompt: behind its type, a text that begins with a letter, and nothing that says otherwise. */
export function isPlainPrompt(bytes: Buffer, typeEnd: number, end: number): boolean {
  const textAt = typeEnd + promptFront.length;
  if (textAt >= end || bytes.compare(promptFront, 0, promptFront.length, typeEnd, textAt) !== 0) return false;
  if (!isLetter(bytes[textAt] ?? 0)) return false;
  const rest = bytes.subarray(typeEnd, end);
  return !others.some((word) => rest.includes(word));
}

/** Commands, notifications and the like begin with a bracket, maybe behind blanks. */
function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}
