/**
 * A text for bash without its quotes and backslashes, in each way it may be read: with continued lines joined and apart, with the body of
 * `$'…'` decoded, and with the `$` of `$"…"` as a part of the quote.
 */
export function plainTexts(text: string): string[] {
  const joined = text.replaceAll("\\\n", "");
  const readings = joined === text ? [text] : [joined, text];
  return readings
    .flatMap((reading) => (reading.includes("$'") ? [reading, ...decodings(reading)] : [reading]))
    .flatMap((reading) => [...new Set([reading, reading.replace(/\$(?=\\*")/g, "")])])
    .map(bare);
}

/** In scripts inside scripts a backslash is written several times: once each run counts as one, once each counts as it is written. */
function decodings(text: string): string[] {
  return [decoded(text.replace(/\\+/g, "\\")), decoded(text).replaceAll("\\\n", "")];
}

function bare(text: string): string {
  return text.replace(/['"\\]/g, "");
}

function decoded(text: string): string {
  return text.replace(/\$'((?:\\[\s\S]|[^'\\])*)'/g, (_, body: string) =>
    body.replace(escapes, (whole) => decodeOne(whole)),
  );
}

const escapes = /\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c?[\s\S])/g;

function decodeOne(whole: string): string {
  const sign = whole[1] ?? "";
  if (/[xuU]/.test(sign) && whole.length > 2) return character(Number.parseInt(whole.slice(2), 16));
  if (/[0-7]/.test(sign)) return character(Number.parseInt(whole.slice(1), 8));
  if (sign === "n") return "\n";
  return /[abeEfrtvc]/.test(sign) ? " " : sign;
}

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
