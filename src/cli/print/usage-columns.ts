import { plainLine } from "../../protocol/internal.ts";
import type { BlockRow, ReportName, ReportRows, UsageReport } from "../../usage/internal.ts";
import { moneyText, timeText } from "./figures.ts";
import type { Column } from "./table.ts";

/** How much fits: everything, short numbers, or only what cannot be omitted. */
export type TableWidth = "wide" | "short" | "narrow";

/** The columns that a report has before its figures. */
export function leadingColumns<Name extends ReportName>(
  name: Name,
  report: UsageReport<Name>,
  width: TableWidth,
): readonly Column<ReportRows[Name]>[] {
  const byReport: { [Each in ReportName]: readonly Column<ReportRows[Each]>[] } = {
    daily: [{ header: "day", text: ({ date }) => date }],
    weekly: [{ header: "week", text: ({ weekStart, weekEnd }) => `${weekStart} – ${weekEnd}` }],
    monthly: [{ header: "month", text: ({ month }) => month }],
    session: sessionColumns(report as unknown as UsageReport<"session">, width),
    blocks: blockColumns(report as unknown as UsageReport<"blocks">),
    models: [
      { header: "model", text: modelText, flexible: true },
      { header: "share", text: ({ share }) => `${(share * 100).toFixed(1)} %`, align: "right" },
    ],
    projects: [
      { header: "project", text: ({ project }) => plainLine(project), flexible: true },
      { header: "sessions", text: ({ sessions }) => String(sessions), align: "right" },
    ],
  };
  return byReport[name];
}

function modelText({ model, speed, basis }: ReportRows["models"]): string {
  return plainLine(`${model}${speed === "fast" ? " (fast)" : ""}${basis === "list" ? " (list price)" : ""}`);
}

function sessionColumns(
  { rows, timezone }: UsageReport<"session">,
  width: TableWidth,
): readonly Column<ReportRows["session"]>[] {
  const isNarrow = width === "narrow";
  const isReconciled = rows.some((row) => row.reconcile !== undefined);
  const columns: readonly Column<ReportRows["session"]>[] = [
    { header: "last call", text: ({ lastAt }) => timeText(lastAt, timezone).slice(0, isNarrow ? 10 : undefined) },
    { header: "session", text: ({ sessionId }) => plainLine(sessionId).slice(0, 8) },
    { header: "project", text: ({ project }) => plainLine(project), flexible: true },
    { header: "title", text: ({ title }) => plainLine(title ?? ""), flexible: true },
    {
      header: "Claude Code",
      text: ({ reconcile }) => orNone(reconcile?.clientMicroUsd ?? reconcile?.statuslineMicroUsd),
      align: "right",
    },
    { header: "difference", text: ({ reconcile }) => orNone(reconcile?.differenceMicroUsd), align: "right" },
  ];
  return columns.slice(0, isNarrow ? 2 : isReconciled ? 6 : 4);
}

function orNone(microUsd: number | null | undefined): string {
  return microUsd === null || microUsd === undefined ? "–" : moneyText(microUsd);
}

function blockColumns({ rows, timezone }: UsageReport<"blocks">): readonly Column<BlockRow>[] {
  const columns: readonly Column<BlockRow>[] = [
    { header: "block", text: ({ startAt, endAt }) => spanText(timeText(startAt, timezone), timeText(endAt, timezone)) },
    { header: "", text: (row) => blockState(row, timezone) },
    {
      header: "of limit",
      text: ({ limit }) => (limit === null ? "" : `${(limit.share * 100).toFixed(0)} %`),
      align: "right",
    },
  ];
  return columns.slice(0, rows.some((row) => row.limit !== null) ? 3 : 2);
}

function blockState({ gap, active, projection, resetAt }: BlockRow, timezone: string): string {
  if (gap) return "no calls";
  const minutes = projection?.minutesLeft;
  const left = minutes === undefined ? "" : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
  const reset = resetAt === null ? "" : `limit until ${timeText(resetAt, timezone)}`;
  return [active ? "active" : "", left, reset].filter(Boolean).join(", ");
}

/** The end has a date only when it is another day. */
function spanText(start: string, end: string): string {
  return `${start} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(-5) : end}`;
}
