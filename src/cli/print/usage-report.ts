import { plainLine } from "../../protocol/internal.ts";
import type { Amounts, BlockRow, ReportName, ReportRows, UsageReport, UsageWarningCode } from "../../usage/internal.ts";
import type { Io } from "../command-line/command.ts";
import { counted, countText, moneyText, timeText } from "./figures.ts";
import { styleFor } from "./style.ts";
import { type Column, tableText, widthOf } from "./table.ts";

/** A report for people: rows, the total, and what to know about the figures. */
export function usageText<Name extends ReportName>(
  name: Name,
  report: UsageReport<Name>,
  io: Io,
  { agents = false }: { readonly agents?: boolean } = {},
): string {
  if (report.rows.length === 0) return `Nothing was used${rangeText(report)}.\n${notesText(report, io)}`;
  const style = styleFor(io);
  const limit = io.terminal.out ? io.terminal.columns : undefined;
  const table = widest(name, report, limit, agents);
  const last = table.rows.length - 1;
  const text = tableText(table.columns, table.rows, style, limit);
  const lines = text.split("\n");
  // The total stands under the rows, and stands out.
  lines[last + 1] = style.bold(lines[last + 1] ?? "");
  return `${lines.join("\n")}${notesText(report, io)}`;
}

/** How much room there is: all of it, too little for whole counts, or too little for anything that can be left out. */
const rooms = ["wide", "short", "narrow"] as const;
type Room = (typeof rooms)[number];

function widest<Name extends ReportName>(
  name: Name,
  report: UsageReport<Name>,
  limit: number | undefined,
  agents: boolean,
): Table {
  const tables = rooms.map((room) => tableOf(name, report, room, agents));
  const fits = ({ columns, rows }: Table) => limit === undefined || naturalWidth(columns, rows) <= limit;
  return tables.find(fits) ?? (tables.at(-1) as Table);
}

interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

function tableOf<Name extends ReportName>(name: Name, report: UsageReport<Name>, room: Room, agents: boolean): Table {
  const heads = headsOf(name, report, room);
  const short = room !== "wide";
  const withSearches = report.totals.webSearches > 0;
  const columns: Column[] = [...heads.columns, ...amountColumns(withSearches, short)];
  const cells = (amounts: Amounts) => amountCells(amounts, withSearches, short);
  const rows = report.rows.flatMap((row) => [
    [...heads.cells(row), ...cells(row)],
    ...subRows(row, agents).map(([label, amounts]) => [...indented(label, heads.columns.length), ...cells(amounts)]),
  ]);
  const total = ["Total", ...heads.columns.slice(1).map(() => ""), ...cells(report.totals)];
  return { columns, rows: [...rows, total] };
}

function indented(label: string, count: number): string[] {
  return [`  ${plainLine(label)}`, ...Array<string>(count - 1).fill("")];
}

function amountColumns(withSearches: boolean, short: boolean): Column[] {
  const names = short
    ? ["calls", "in", "out", "w 5m", "w 1h", "read"]
    : ["calls", "input", "output", "write 5m", "write 1h", "cache read"];
  return [...names, ...(withSearches ? ["searches"] : []), "cost"].map((header) => ({ header, align: "right" }));
}

function amountCells(amounts: Amounts, withSearches: boolean, short: boolean): string[] {
  return [
    countText(amounts.calls, short),
    countText(amounts.inputTokens, short),
    countText(amounts.outputTokens, short),
    countText(amounts.cacheWrite5mTokens, short),
    countText(amounts.cacheWrite1hTokens, short),
    countText(amounts.cacheReadTokens, short),
    ...(withSearches ? [countText(amounts.webSearches, short)] : []),
    short && !amounts.complete
      ? `≥ ${moneyText(amounts.costMicroUsd)}`
      : moneyText(amounts.costMicroUsd, amounts.complete),
  ];
}

/** Breakdowns, as rows below their row. A session always knows its subagents one by one; they are shown when asked for. */
function subRows(row: object, withAgents: boolean): [string, Amounts][] {
  const { models = [], agents, main, byAgent } = row as Breakdowns;
  const types = Array.isArray(agents) ? (agents as NonNullable<Breakdowns["types"]>) : [];
  return [
    ...models.map((own): [string, Amounts] => [own.model, own]),
    ...types.map((own): [string, Amounts] => [own.agentType, own]),
    ...(withAgents && main !== undefined ? [["main", main] as [string, Amounts]] : []),
    ...(withAgents ? (byAgent ?? []) : []).map((own): [string, Amounts] => [agentName(own), own]),
  ];
}

interface Breakdowns {
  readonly models?: readonly ({ model: string } & Amounts)[];
  readonly types?: readonly ({ agentType: string } & Amounts)[];
  readonly agents?: unknown;
  readonly main?: Amounts;
  readonly byAgent?: ReportRows["session"]["byAgent"];
}

function agentName({ agentType, description, agentId }: ReportRows["session"]["byAgent"][number]): string {
  return [agentType ?? "subagent", description ?? agentId].join(": ");
}

interface Heads<Row> {
  readonly columns: readonly Column[];
  cells(row: Row): string[];
}

/** What stands before the figures. */
function headsOf<Name extends ReportName>(name: Name, report: UsageReport<Name>, room: Room): Heads<ReportRows[Name]> {
  const heads: { [Each in ReportName]: Heads<ReportRows[Each]> } = {
    daily: { columns: [{ header: "day" }], cells: ({ date }) => [date] },
    weekly: { columns: [{ header: "week" }], cells: ({ weekStart, weekEnd }) => [`${weekStart} – ${weekEnd}`] },
    monthly: { columns: [{ header: "month" }], cells: ({ month }) => [month] },
    session: sessionHeads(report as unknown as UsageReport<"session">, room),
    blocks: blockHeads(report as unknown as UsageReport<"blocks">),
    models: {
      columns: [
        { header: "model", flexible: true },
        { header: "share", align: "right" },
      ],
      cells: ({ model, speed, share, basis }) => [
        plainLine(`${model}${speed === "fast" ? " (fast)" : ""}${basis === "list" ? " (list price)" : ""}`),
        `${(share * 100).toFixed(1)} %`,
      ],
    },
    projects: {
      columns: [
        { header: "project", flexible: true },
        { header: "sessions", align: "right" },
      ],
      cells: ({ project, sessions }) => [plainLine(project), String(sessions)],
    },
  };
  return heads[name];
}

function sessionHeads({ rows, timezone }: UsageReport<"session">, room: Room): Heads<ReportRows["session"]> {
  const isReconciled = rows.some((row) => row.reconcile !== undefined);
  if (room === "narrow") {
    return {
      columns: [{ header: "last call" }, { header: "session" }],
      cells: ({ lastAt, sessionId }) => [timeText(lastAt, timezone).slice(0, 10), plainLine(sessionId).slice(0, 8)],
    };
  }
  return {
    columns: [
      { header: "last call" },
      { header: "session" },
      { header: "project", flexible: true },
      { header: "title", flexible: true },
      ...(isReconciled
        ? ([
            { header: "client", align: "right" },
            { header: "difference", align: "right" },
          ] as const)
        : []),
    ],
    cells: ({ lastAt, sessionId, project, title, reconcile }) => [
      timeText(lastAt, timezone),
      plainLine(sessionId).slice(0, 8),
      plainLine(project),
      plainLine(title ?? ""),
      ...(isReconciled
        ? [orNone(reconcile?.clientMicroUsd ?? reconcile?.statuslineMicroUsd), orNone(reconcile?.differenceMicroUsd)]
        : []),
    ],
  };
}

function orNone(microUsd: number | null | undefined): string {
  return microUsd === null || microUsd === undefined ? "–" : moneyText(microUsd);
}

function blockHeads({ rows, timezone }: UsageReport<"blocks">): Heads<ReportRows["blocks"]> {
  const hasLimit = rows.some((row) => row.limit !== null);
  return {
    columns: [
      { header: "block" },
      { header: "" },
      ...(hasLimit ? ([{ header: "of limit", align: "right" }] as const) : []),
    ],
    cells: ({ startAt, endAt, gap, active, projection, limit, resetAt }) => [
      spanText(timeText(startAt, timezone), timeText(endAt, timezone)),
      gap
        ? "no calls"
        : [active ? "active" : "", leftText(projection?.minutesLeft), resetText(resetAt, timezone)]
            .filter(Boolean)
            .join(", "),
      ...(hasLimit ? [limit === null ? "" : `${(limit.share * 100).toFixed(0)} %`] : []),
    ],
  };
}

function leftText(minutes: number | undefined): string {
  return minutes === undefined ? "" : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}

function resetText(resetAt: string | null, timezone: string): string {
  return resetAt === null ? "" : `limit until ${timeText(resetAt, timezone)}`;
}

/** The end has its date only where it is another day. */
function spanText(start: string, end: string): string {
  return `${start} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(-5) : end}`;
}

function naturalWidth(columns: readonly Column[], rows: readonly (readonly string[])[]): number {
  return columns.reduce((all, { header, flexible }, index) => {
    const widest = Math.max(widthOf(header), ...rows.map((row) => widthOf(row[index] ?? "")));
    return all + 2 + (flexible ? Math.min(widest, 12) : widest);
  }, -2);
}

function rangeText({ range: { since, until } }: UsageReport): string {
  if (since === null && until === null) return "";
  return since === null ? ` until ${until}` : until === null ? ` since ${since}` : ` from ${since} to ${until}`;
}

/** Told model by model, and file by file. */
const toldApart: ReadonlySet<UsageWarningCode> = new Set(["unpriced-model", "unread-file"]);

/** Why figures are not complete, and what else is worth a line. */
function notesText({ unpriced, warnings, prices }: UsageReport, io: Io): string {
  const style = styleFor(io);
  const notes = [
    ...unpriced.map(
      ({ model, calls }) =>
        `no price is known for ${plainLine(model) || "calls without a model"} (${counted(calls, "call")})`,
    ),
    ...warnings
      .filter(({ code }) => !toldApart.has(code))
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

/** What is in no figure, file by file. */
export function unreadNotes(warnings: UsageReport["warnings"]): string[] {
  const places = warnings.flatMap((warning) => (warning.code === "unread-file" ? (warning.places ?? []) : []));
  const more = places.length - unreadShown;
  return [
    ...places.slice(0, unreadShown).map(({ file, why }) => `not counted: ${file} cannot be read (${why})`),
    ...(more > 0 ? [`not counted: ${countText(more)} more; --json names them`] : []),
  ];
}

/**
 * Rows as comma-separated values with a header; the client's own figures and those of a block get columns, other lists and objects
 * are left out.
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

/** The same columns for every block, whether or not it runs still. */
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

/** Quoted where needed; a cell that a spreadsheet would run as a formula is kept from it. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
