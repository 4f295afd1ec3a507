import { plainLine } from "../../protocol/internal.ts";
import type { ReportName, ReportRows, UsageReport } from "../../usage/internal.ts";
import { moneyText, timeText } from "./figures.ts";
import type { Column } from "./table.ts";

/** The columns before the figures, and the cells of a row. */
export interface LeadingColumns<Row> {
  readonly columns: readonly Column[];
  cells(row: Row): string[];
}

/** How much fits: everything, short numbers, or only what cannot be omitted. */
export type TableWidth = "wide" | "short" | "narrow";

/** The columns that a report has before its figures. */
export function leadingColumns<Name extends ReportName>(
  name: Name,
  report: UsageReport<Name>,
  width: TableWidth,
): LeadingColumns<ReportRows[Name]> {
  const byReport: { [Each in ReportName]: LeadingColumns<ReportRows[Each]> } = {
    daily: { columns: [{ header: "day" }], cells: ({ date }) => [date] },
    weekly: { columns: [{ header: "week" }], cells: ({ weekStart, weekEnd }) => [`${weekStart} – ${weekEnd}`] },
    monthly: { columns: [{ header: "month" }], cells: ({ month }) => [month] },
    session: sessionColumns(report as unknown as UsageReport<"session">, width),
    blocks: blockColumns(report as unknown as UsageReport<"blocks">),
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
  return byReport[name];
}

function sessionColumns(
  { rows, timezone }: UsageReport<"session">,
  width: TableWidth,
): LeadingColumns<ReportRows["session"]> {
  const isReconciled = rows.some((row) => row.reconcile !== undefined);
  if (width === "narrow") {
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

function blockColumns({ rows, timezone }: UsageReport<"blocks">): LeadingColumns<ReportRows["blocks"]> {
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

/** The end has a date only when it is another day. */
function spanText(start: string, end: string): string {
  return `${start} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(-5) : end}`;
}
