import { plainLine } from "../../protocol/internal.ts";
import type { Amounts, BlockRow, ReportName, ReportRows, UsageReport, UsageWarningCode } from "../../usage/internal.ts";
import type { Io } from "../command-line/command.ts";
import { countText, moneyText, plural } from "./figures.ts";
import { type Column, naturalWidths, tableText } from "./table.ts";
import { styleFor } from "./terminal.ts";
import { leadingColumns, type TableWidth } from "./usage-columns.ts";

/** A report as a table with a total, and notes about the figures. */
export function usageText<Name extends ReportName>(
  name: Name,
  report: UsageReport<Name>,
  io: Io,
  { agents = false }: { readonly agents?: boolean } = {},
): string {
  if (report.rows.length === 0) return `No usage${rangeText(report)}.\n${notesText(report, io)}`;
  const style = styleFor(io);
  const limit = io.terminal.columns;
  const tables = (["wide", "short", "narrow"] as const).map((width) => tableOf(name, report, width, agents));
  const { columns, rows } = tables.find((table) => naturalWidth(table) <= limit) ?? (tables.at(-1) as Table);
  const lines = tableText(columns, rows, style, limit).split("\n");
  // The total is the last row, in bold.
  lines[rows.length] = style.bold(lines[rows.length] ?? "");
  return `${lines.join("\n")}${notesText(report, io)}`;
}

/** A row of a report, one of its breakdown, or the total. */
interface TableRow {
  readonly lead: readonly string[];
  readonly amounts: Amounts;
}

interface Table {
  readonly columns: readonly Column<TableRow>[];
  readonly rows: readonly TableRow[];
}

function tableOf<Name extends ReportName>(
  name: Name,
  report: UsageReport<Name>,
  width: TableWidth,
  agents: boolean,
): Table {
  const leading = leadingColumns(name, report, width);
  const rows = report.rows.flatMap((row): TableRow[] => [
    { lead: leading.map(({ text }) => text(row)), amounts: row },
    ...subRows(row, agents).map(([label, amounts]) => ({ lead: [`  ${plainLine(label)}`], amounts })),
  ]);
  const lead = leading.map((column, at) => ({ ...column, text: (row: TableRow) => row.lead[at] ?? "" }));
  return {
    columns: [...lead, ...amountColumns(report.totals.webSearches > 0, width !== "wide")],
    rows: [...rows, { lead: ["Total"], amounts: report.totals }],
  };
}

function amountColumns(withSearches: boolean, short: boolean): Column<TableRow>[] {
  const count = (header: string, shortHeader: string, key: CountKey): Column<TableRow> => ({
    header: short ? shortHeader : header,
    text: ({ amounts }) => countText(amounts[key], short),
    align: "right",
  });
  return [
    count("calls", "calls", "calls"),
    count("input", "in", "inputTokens"),
    count("output", "out", "outputTokens"),
    count("write 5m", "w 5m", "cacheWrite5mTokens"),
    count("write 1h", "w 1h", "cacheWrite1hTokens"),
    count("cache read", "read", "cacheReadTokens"),
    ...(withSearches ? [count("searches", "searches", "webSearches")] : []),
    { header: "cost", text: ({ amounts }) => costText(amounts, short), align: "right" },
  ];
}

type CountKey = Exclude<keyof Amounts, "complete">;

function costText({ costMicroUsd, complete }: Amounts, short: boolean): string {
  return short && !complete ? `≥ ${moneyText(costMicroUsd)}` : moneyText(costMicroUsd, complete);
}

/** The rows of a breakdown, below their row. A session lists its subagents only with --by subagent. */
function subRows(row: object, withAgents: boolean): [string, Amounts][] {
  const { models = [], agents = [], main, byAgent = [] } = row as Breakdowns;
  const rows: [string, Amounts][] = models.map((own) => [own.model, own]);
  // In a session `agents` is one sum.
  if ("map" in agents) rows.push(...agents.map((own): [string, Amounts] => [own.agentType, own]));
  if (withAgents && main !== undefined) rows.push(["main", main]);
  if (withAgents) rows.push(...byAgent.map((own): [string, Amounts] => [agentName(own), own]));
  return rows;
}

interface Breakdowns {
  readonly models?: readonly ({ model: string } & Amounts)[];
  readonly agents?: Amounts | readonly ({ agentType: string } & Amounts)[];
  readonly main?: Amounts;
  readonly byAgent?: ReportRows["session"]["byAgent"];
}

function agentName({ agentType, description, agentId }: ReportRows["session"]["byAgent"][number]): string {
  return [agentType ?? "subagent", description ?? agentId].join(": ");
}

function naturalWidth({ columns, rows }: Table): number {
  const widths = naturalWidths(columns, rows);
  return widths.reduce((all, width, index) => all + 2 + (columns[index]?.flexible ? Math.min(width, 12) : width), -2);
}

function rangeText({ range: { since, until } }: UsageReport): string {
  if (since === null && until === null) return "";
  return since === null ? ` until ${until}` : until === null ? ` since ${since}` : ` from ${since} to ${until}`;
}

/** Warnings that have notes of their own. */
const withOwnNotes: ReadonlySet<UsageWarningCode> = new Set(["unpriced-model", "unread-file"]);

/** Why figures are incomplete, other warnings, and prices. */
function notesText({ unpriced, warnings, prices }: UsageReport, io: Io): string {
  const style = styleFor(io);
  const notes = [
    ...unpriced.map(
      ({ model, calls }) => `no price for ${plainLine(model) || "calls without a model"} (${plural(calls, "call")})`,
    ),
    ...warnings
      .filter(({ code }) => !withOwnNotes.has(code))
      .map(({ code, count, message }) => (code === "index" ? message : `${countText(count)} × ${message}`)),
    ...unreadNotes(warnings),
    ...(prices.rows ?? []).map(
      ({ models, usdPerMillion: p, from, to, source, read }) =>
        `${models.join(", ")}${from === null ? "" : ` from ${from}`}${to === null ? "" : ` until ${to}`}: input $${p.input}, output $${p.output}, cache write $${p.write5m} (5m) and $${p.write1h} (1h), cache read $${p.cacheRead} per million; ${source}, read ${read}`,
    ),
  ];
  return notes.map((note) => `${style.dim(plainLine(note))}\n`).join("");
}

const unreadShown = 10;

/** The files that are not counted. */
export function unreadNotes(warnings: UsageReport["warnings"]): string[] {
  const places = warnings.flatMap((warning) => (warning.code === "unread-file" ? (warning.places ?? []) : []));
  const more = places.length - unreadShown;
  return [
    ...places.slice(0, unreadShown).map(({ file, why }) => `not counted: ${file} cannot be read (${why})`),
    ...(more > 0 ? [`not counted: ${countText(more)} more; use --json to list them`] : []),
  ];
}

/**
 * Rows as comma-separated values with a header. Claude Code's own figures and those of a block are columns; other lists and objects are
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
