/** What is kept of one hook's output, in bytes of UTF-8. */
export const mostBytes: number = 1024 * 1024;

/** The beginning of a text that fits, and how many bytes were left out. */
export function keep(text: string, most: number = mostBytes): { readonly text: string; readonly dropped: number } {
  if (text.length * 3 <= most) return { text, dropped: 0 };
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return { text, dropped: 0 };
  const kept = wholeCharacters(bytes, most);
  return { text: bytes.toString("utf8", 0, kept), dropped: bytes.length - kept };
}

/** The largest length up to `most` that does not cut a character in two. */
export function wholeCharacters(bytes: Buffer, most: number): number {
  let length = Math.min(most, bytes.length);
  if (length === bytes.length) return length;
  // Bytes 10xxxxxx continue a character; at most three of them do.
  for (let back = 0; back < 3 && length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80; back++) length--;
  return length;
}
