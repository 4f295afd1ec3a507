import { Problem, showValue, stripControl } from "../../protocol/internal.ts";

/** The longest text that goes to a model in one piece. */
export const maxContextChars: number = 10_000;

/**
 * A hook's text as data for the model, between `<tag>` and `</tag>`. Neither that tag nor `<system-reminder>`, in any spelling, can
 * stand inside it; control sequences are removed and a text over the cap is cut with a mark.
 */
export function wrapContext(text: string, tag: string): string {
  if (typeof tag !== "string" || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(tag)) {
    throw new Problem("context/bad-tag", `${showValue(tag)} cannot be a tag. Use letters, digits, "-" and "_".`, {
      about: { tag },
    });
  }
  // Blanks that cannot be seen do not hide a tag either.
  const frame = new RegExp(`<(?=[\\s/\\u200b-\\u200d\\u2060]*(?:${tag}|system-reminder)(?![A-Za-z0-9_-]))`, "gi");
  return `<${tag}>\n${cutText(stripControl(text), maxContextChars).replace(frame, "&lt;")}\n</${tag}>`;
}

/** The beginning of a text and a mark, together no longer than `most`; a text that fits stays as it is. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = `\n[cut: ${text.length} characters in all]`;
  return beginning(text, Math.max(0, most - mark.length)) + mark;
}

/** Up to `most` characters, not ending in half of one. */
export function beginning(text: string, most: number): string {
  const code = text.charCodeAt(most - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most);
}

/**
 * Whether a terminal sequence is a title, a notice or a bell and nothing else: OSC 0, 1, 2, 9, 99, 777, ended by BEL or ST, and BEL.
 * Of OSC 9 the forms 6 and 7 are refused: one terminal runs a macro or a program for them.
 */
export function terminalSequenceAllowed(text: string): boolean {
  return /^(?:\x07|\x1b\](?:0|1|2|99|777|9(?!;[67](?:[;\x07\x1b])))(?:;[^\x00-\x1f\x7f-\x9f]*)?(?:\x07|\x1b\\))*$/.test(
    text,
  );
}

/** The same as `stripControl`, but colors stay. */
export function keepColors(text: string): string {
  return text
    .split(/(\x1b\[[0-9;:]*m)/)
    .map((part, index) => (index % 2 === 1 ? part : stripControl(part)))
    .join("");
}
