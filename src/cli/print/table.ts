import type { Style } from "./terminal.ts";

export interface Column<Row> {
  readonly header: string;
  /** Plain text. */
  readonly text: (row: Row) => string;
  readonly align?: "left" | "right";
  /** Shrinks when the table is too wide; flexible columns share the remaining width. */
  readonly flexible?: true;
  /** Adds colors to a cell that has its final width. */
  readonly paint?: (cell: string) => string;
}

/** A table with headers, at most `limit` columns wide. */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style: Style,
  limit: number = Number.POSITIVE_INFINITY,
): string {
  const widths = fitted(columns, naturalWidths(columns, rows), limit);
  const line = (texts: readonly string[], dim?: (cell: string) => string) => {
    const padded = columns.map(({ align = "left", paint = (cell) => cell }, index) => {
      const width = widths[index] ?? 0;
      const isLast = index === columns.length - 1 && align === "left";
      return (dim ?? paint)(pad(truncate(texts[index] ?? "", width), isLast ? 0 : width, align));
    });
    return `${padded.join("  ").trimEnd()}\n`;
  };
  const headers = columns.map(({ header }) => header);
  return [line(headers, style.dim), ...rows.map((row) => line(columns.map(({ text }) => text(row))))].join("");
}

/** The width that each column needs. */
export function naturalWidths<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map(({ header, text }) => Math.max(...[header, ...rows.map(text)].map(displayWidth)));
}

function fitted(columns: readonly Column<never>[], natural: readonly number[], limit: number): number[] {
  const gaps = 2 * (columns.length - 1);
  const fixed = natural.reduce((sum, width, index) => (columns[index]?.flexible ? sum : sum + width), 0);
  let room = Math.max(0, limit - gaps - fixed);
  const widths = [...natural];
  // The narrowest first: what a short column does not need goes to a long one.
  const flexible = columns
    .flatMap(({ flexible: gives }, index) => (gives ? [index] : []))
    .sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  flexible.forEach((index, done) => {
    const share = Math.floor(room / (flexible.length - done));
    widths[index] = Math.min(natural[index] ?? 0, Math.max(share, 4));
    room -= widths[index] ?? 0;
  });
  return widths;
}

/** The number of columns of a text: wide characters take two, combining ones none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** The text in at most `columns` columns, with … where it was cut. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 0) return "";
  let kept = "";
  let width = 0;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

export function pad(text: string, columns: number, side: "left" | "right" = "left"): string {
  const blanks = " ".repeat(Math.max(0, columns - displayWidth(text)));
  return side === "left" ? `${text}${blanks}` : `${blanks}${text}`;
}

/** The text in lines of at most `columns`, broken between words. A longer word is cut. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && displayWidth(line) + 1 + displayWidth(word) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(truncate(word, columns));
  }
  return lines;
}

function charWidth(char: string): number {
  if (combining.test(char)) return 0;
  return char >= "\u1100" && (eastAsian.test(char) || emoji.test(char)) ? 2 : 1;
}

const combining = /^(?:\p{Mn}|\p{Me}|\p{Cf})$/u;
const eastAsian =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const emoji = /[\u231a\u231b\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}]/u;
