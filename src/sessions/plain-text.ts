const sequences = [
  // Operating system commands: titles, links, the clipboard. They end with BEL or ST.
  /(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)/g,
  // Device control, privacy messages, application commands, strings.
  /(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)/g,
  // Control sequences: colours, cursor, erasing.
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g,
  // All other escapes.
  /\x1b[ -/]*[0-~]?/g,
];

const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text from a file, made safe to show: no control sequences, no control characters but newline and tab, no marks that turn
 * the direction of writing. What a sequence was wrapped around stays.
 */
export function plainText(text: string): string {
  const bare = sequences.reduce((rest, pattern) => rest.replace(pattern, ""), text.replaceAll("\r\n", "\n"));
  return bare
    .replace(controls, "")
    .replace(bidi, "")
    .replace(/[\u2028\u2029]/g, "\n");
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, " ").trim();
}
