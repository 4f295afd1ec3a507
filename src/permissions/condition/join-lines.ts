/**
 * A text for bash with continued lines joined, as bash reads it: a backslash and the newline behind it vanish, but for single quotes.
 * Undefined where that takes more than quotes to decide, as in comments, here-documents and `$'…'`.
 */
export function joinContinuedLines(text: string): string | undefined {
  if (!text.includes("\\\n")) return text;
  // A continued line may cut a sign in two.
  if (/#|<<|\$'/.test(text.replaceAll("\\\n", ""))) return undefined;
  let joined = "";
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === "\\" && quote !== "'") {
      const next = text[at + 1] ?? "";
      if (next !== "\n") joined += sign + next;
      at++;
      continue;
    }
    if (sign === quote) quote = undefined;
    else if (quote === undefined && (sign === "'" || sign === '"')) quote = sign;
    joined += sign;
  }
  return joined;
}
