import type { Style } from "./terminal.ts";

export interface Column {
  readonly header: string;
  readonly align?: "left" | "right";
  /** Shrinks when the table is too wide; flexible columns share the remaining width. */
  readonly flexible?: true;
}

/**
 * A table with headers, at most `limit` columns wide; without a limit no cell is cut. Cells are plain text: `paint` adds colors when the
 * widths are known.
 */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style,
  limit?: number,
  paint: (cell: string, column: number) => string = (cell) => cell,
): string {
  const natural = naturalWidths(columns, rows);
  const widths = limit === undefined ? natural : fitted(columns, natural, limit);
  const line = (cells: readonly string[], put: (cell: string, column: number) => string) => {
    const padded = cells.map((cell, index) => {
      const { align = "left" } = columns[index] ?? {};
      const width = widths[index] ?? 0;
      const isLast = index === columns.length - 1 && align === "left";
      return put(pad(truncate(cell, width), isLast ? 0 : width, align), index);
    });
    return padded.join("  ").trimEnd();
  };
  const header = line(
    columns.map((column) => column.header),
    (cell) => style.dim(cell),
  );
  return [header, ...rows.map((row) => line(row, paint))].map((text) => `${text}\n`).join("");
}

/** The width that each column needs. */
export function naturalWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map(({ header }, index) =>
    Math.max(displayWidth(header), ...rows.map((row) => displayWidth(row[index] ?? ""))),
  );
}

function fitted(columns: readonly Column[], natural: readonly number[], limit: number): number[] {
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
  const code = char.codePointAt(0) ?? 0;
  if (/^(?:\p{Mn}|\p{Me}|\p{Cf})$/u.test(char)) return 0;
  return code >= 0x1100 && wide.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** East Asian scripts and emoji. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];
