import type { Style } from "./style.ts";
import { cut, pad, widthOf } from "./width.ts";

export interface Column {
  readonly header: string;
  readonly align?: "left" | "right";
  /** Gives way when there is too little room; the columns that do share what is left. */
  readonly flexible?: true;
}

/**
 * Rows under headers, never wider than `columns`; without a limit every cell is whole. Cells hold plain text: colours are put
 * on by `paint` once the widths are known.
 */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style,
  limit?: number,
  paint: (cell: string, column: number) => string = (cell) => cell,
): string {
  const natural = columns.map(({ header }, index) =>
    Math.max(widthOf(header), ...rows.map((row) => widthOf(row[index] ?? ""))),
  );
  const widths = limit === undefined ? natural : fitted(columns, natural, limit);
  const line = (cells: readonly string[], put: (cell: string, column: number) => string) =>
    cells
      .map((cell, index) =>
        put(
          pad(
            cut(cell, widths[index] ?? 0),
            index === columns.length - 1 && columns[index]?.align !== "right" ? 0 : (widths[index] ?? 0),
            columns[index]?.align === "right" ? "right" : "left",
          ),
          index,
        ),
      )
      .join("  ")
      .trimEnd();
  const header = line(
    columns.map((column) => column.header),
    (cell) => style.dim(cell),
  );
  return [header, ...rows.map((row) => line(row, paint))].map((text) => `${text}\n`).join("");
}

function fitted(columns: readonly Column[], natural: readonly number[], limit: number): number[] {
  const gaps = 2 * (columns.length - 1);
  const fixed = natural.reduce((sum, width, index) => (columns[index]?.flexible ? sum : sum + width), 0);
  let room = Math.max(0, limit - gaps - fixed);
  const widths = [...natural];
  // The narrowest first: what a short column does not need, a long one gets.
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
