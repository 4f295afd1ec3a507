/** Text from elsewhere, made safe for a terminal: with what a terminal acts on removed, or spelled out. */

/**
 * In this order: CSI (parameters, intermediates, a final letter); OSC, DCS, SOS, PM and APC up to BEL or ST, which end at the next
 * introducer so that no text is scanned twice; other escape sequences, and a lone introducer; control characters but tab and line
 * break; marks that change the direction of writing.
 */
const controls =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text without anything a terminal would act on: escape and control sequences in their 7- and 8-bit forms, other control characters
 * but tab and line break, and marks that change the direction of writing. An unfinished sequence loses its introducer only.
 */
export function stripControl(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(controls, "");
}

/** The same, with Unicode's line separators as line breaks. */
export function plainText(text: string): string {
  return stripControl(text).replace(/[\u2028\u2029]/g, "\n");
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, " ").trim();
}

/** A text on one line in which control and invisible characters are shown as symbols instead of being removed. */
export function escapeControls(text: string): string {
  return text
    .replaceAll("\n", "⏎")
    .replace(/[\u0000-\u001f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(/\u007f/g, "␡")
    .replace(
      /[\u0080-\u009f\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u115f\u1160\u3000\u3164\uffa0\ufeff\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu,
      (char) => `‹U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
    );
}

/** The same for a text of several lines. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n");
}

/** JSON with the same meaning, in which characters that act on a terminal or are invisible are escaped. */
export function escapeJson(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
