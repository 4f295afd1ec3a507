import { rollupsWhere } from "../calls/rollups.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type PriceRow, pricesBy } from "../prices/price-rows.ts";
import type { PriceTable } from "../prices/price-table.ts";
import type { ReportName, ReportRequest } from "../usage-options.ts";
import { type Amounts, amountsOf, type CostMode } from "./amounts.ts";
import {
  type DayRow,
  dayRows,
  type ModelRow,
  type MonthRow,
  modelRows,
  monthRows,
  type ProjectRow,
  projectRows,
  type RowOptions,
  type WeekRow,
  weekRows,
} from "./report-rows.ts";
import { pricesUsed, type UnpricedModel, type UsageWarning, unpricedOf, warningsOf } from "./report-warnings.ts";
import { selectRollups } from "./selection.ts";
import { type SessionRow, sessionRows } from "./session-rows.ts";
import { type BlockRow, blockRows } from "./usage-blocks.ts";

/** Rows of each report. */
export interface ReportRows {
  readonly daily: DayRow;
  readonly weekly: WeekRow;
  readonly monthly: MonthRow;
  readonly session: SessionRow;
  readonly blocks: BlockRow;
  readonly models: ModelRow;
  readonly projects: ProjectRow;
}

/** One report, the same from the library and from `--json`. */
export interface UsageReport<Name extends ReportName = ReportName> {
  readonly schema: `hookline.usage.${Name}/1`;
  readonly generatedAt: string;
  readonly timezone: string;
  /** The days that were asked for, inclusive; null where there is no bound. */
  readonly range: { readonly since: string | null; readonly until: string | null };
  readonly filters: Readonly<Record<"project" | "session" | "model" | "agent", string | null>>;
  readonly mode: CostMode;
  readonly prices: {
    readonly newest: string | null;
    readonly sources: readonly string[];
    readonly rows?: readonly ShownPrice[];
  };
  readonly sources: {
    readonly roots: readonly string[];
    readonly files: number;
    readonly bytes: number;
    readonly unreadableLines: number;
    /** Lines that took a JSON parser. */
    readonly fallbackLines: number;
    readonly from: "scan" | "index";
  };
  readonly rows: readonly ReportRows[Name][];
  readonly totals: Amounts;
  readonly unpriced: readonly UnpricedModel[];
  readonly warnings: readonly UsageWarning[];
}

/** A row of the price table as it was used; dollars per million tokens. */
export interface ShownPrice extends Pick<PriceRow, "models" | "source" | "read"> {
  readonly from: string | null;
  readonly to: string | null;
  readonly usdPerMillion: Readonly<Record<"input" | "write5m" | "write1h" | "cacheRead" | "output", number>>;
}

/** Claude Code's figure for a session that its status line last showed, in micro-dollars. */
export type StatuslineCost = (session: string) => number | undefined;

export function makeReport<Name extends ReportName>(
  name: Name,
  ledger: Ledger,
  request: ReportRequest,
  prices: PriceTable,
  statuslineCost: StatuslineCost = () => undefined,
): UsageReport<Name> {
  const selection = selectRollups(ledger, request);
  const { mode = "auto", now = Date.now(), project = null, session = null, model = null, agent = null } = request;
  const kept = rollupsWhere(ledger.rollups, selection.keep);
  const used = pricesUsed(selection, kept, prices);
  const totals = amountsOf(ledger.rollups, kept, mode);
  const options: RowOptions = { mode, breakdown: request.breakdown === true, agents: request.agents === true };
  const rows: { [Each in ReportName]: () => ReportRows[Each][] } = {
    daily: () => dayRows(selection, options),
    weekly: () => weekRows(selection, options, request.weekStart ?? "monday"),
    monthly: () => monthRows(selection, options),
    session: () => sessionRows(selection, options, request.reconcile ? statuslineCost : undefined),
    blocks: () => blockRows(selection, options, now, request.tokenLimit),
    models: () => modelRows(selection, options),
    projects: () => projectRows(selection, options),
  };
  return {
    schema: `hookline.usage.${name}/1`,
    generatedAt: new Date(now).toISOString(),
    timezone: selection.zone.name,
    range: { since: selection.since, until: selection.until },
    filters: { project, session, model, agent },
    mode,
    prices: {
      newest: used.newest,
      sources: used.sources,
      ...(request.showPrices ? { rows: (kept.length === 0 ? prices.rows : used.rows).map(shownPrice) } : {}),
    },
    sources: sourcesOf(ledger),
    rows: ordered(rows[name](), request, name),
    totals: { ...totals, complete: totals.complete && ledger.unread.length === 0 },
    unpriced: unpricedOf(selection, kept, mode),
    warnings: warningsOf(selection, kept, mode),
  };
}

/** By default times ascend and costs descend. */
function ordered<Row>(rows: Row[], { order }: ReportRequest, name: ReportName): Row[] {
  const usual = name === "models" || name === "projects" ? "desc" : "asc";
  return (order ?? usual) === "asc" ? rows : rows.reverse();
}

function sourcesOf({ files, from }: Ledger): UsageReport["sources"] {
  const total = (of: (file: Ledger["files"][number]) => number) => files.reduce((all, file) => all + of(file), 0);
  return {
    roots: [...new Set(files.map((file) => file.root))],
    files: files.length,
    bytes: total((file) => file.size),
    unreadableLines: total((file) => file.unreadable),
    fallbackLines: total((file) => file.fallback),
    from,
  };
}

function shownPrice({ models, from, to, prices, source, read }: PriceRow): ShownPrice {
  const day = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : null);
  return {
    models,
    from: day(from),
    to: day(to),
    usdPerMillion: pricesBy((name) => prices[name] / 1_000_000),
    source,
    read,
  };
}
