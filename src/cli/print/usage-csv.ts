import type { BlockRow, ReportName, UsageReport } from "../../usage/internal.ts";

/**
 * Rows as comma-separated values with a header. The client's own figures and those of a block are columns; other lists and objects are
 * omitted.
 */
export function usageCsv(report: UsageReport<ReportName>): string {
  const rows = report.rows.map((row) => {
    if ("burn" in row) return blockCells(row);
    return { ...row, ...("reconcile" in row ? row.reconcile : {}) };
  });
  const names = [
    ...new Set(rows.flatMap((row) => Object.entries(row).flatMap(([name, value]) => (isPlain(value) ? name : [])))),
  ];
  const lines = rows.map((row) =>
    names.map((name) => cell((row as unknown as Record<string, unknown>)[name])).join(","),
  );
  return `${[names.join(","), ...lines].join("\n")}\n`;
}

/** Every block has the same columns, also when it is over. */
function blockCells({ burn, projection, limit, ...row }: BlockRow): Readonly<Record<string, unknown>> {
  return {
    ...row,
    burnTokensPerMinute: burn?.tokensPerMinute ?? null,
    burnCostMicroUsdPerHour: burn?.costMicroUsdPerHour ?? null,
    projectionTokens: projection?.tokens ?? null,
    projectionCostMicroUsd: projection?.costMicroUsd ?? null,
    projectionMinutesLeft: projection?.minutesLeft ?? null,
    limitTokens: limit?.tokens ?? null,
    limitShare: limit?.share ?? null,
  };
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

/** Quoted where needed. A cell that a spreadsheet would run as a formula gets an apostrophe. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
