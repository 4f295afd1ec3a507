import { groupBy } from "../../protocol/internal.ts";
import { priceFlag, type Rollups, rollupsWhere, sumColumn } from "../calls/rollups.ts";
import { pricedModel } from "../prices/price-table.ts";
import { type Amounts, amountsOf, type CallTimes, type CostMode, timesOf } from "./amounts.ts";
import { addDays, type Weekday, weekOf } from "./calendar.ts";
import { type UsageSelection, undatedDay } from "./selection.ts";

/** What rows may hold in addition to their own amounts: the same by model, and by type of agent. */
export interface Breakdown {
  readonly models?: readonly ({ readonly model: string } & Amounts)[];
  readonly agents?: readonly ({ readonly agentType: string } & Amounts)[];
}

export interface RowOptions {
  readonly mode: CostMode;
  readonly breakdown: boolean;
  readonly agents: boolean;
}

/** The amounts of some rollups, with the breakdowns that were asked for. */
export function reportRow(
  selection: UsageSelection,
  rows: readonly number[],
  options: RowOptions,
): Amounts & Breakdown {
  const { mode, breakdown, agents } = options;
  const { rollups } = selection.ledger;
  /** Largest cost first. Rollups without a call, such as those of API errors, have no row of their own. */
  const splitBy = (keyOf: (at: number) => string) =>
    [...groupBy(callsAmong(rollups, rows), keyOf)]
      .map(([name, own]) => ({ name, amounts: amountsOf(rollups, own, mode) }))
      .sort((a, b) => b.amounts.costMicroUsd - a.amounts.costMicroUsd || (a.name < b.name ? -1 : 1));
  const byModel = () => splitBy(selection.modelOf).map(({ name, amounts }) => ({ model: name, ...amounts }));
  const byAgent = () => splitBy(selection.agentType).map(({ name, amounts }) => ({ agentType: name, ...amounts }));
  return {
    ...amountsOf(rollups, rows, mode),
    ...(breakdown ? { models: byModel() } : {}),
    ...(agents ? { agents: byAgent() } : {}),
  };
}

/** Rollups with a call or with tokens. */
function callsAmong({ sums }: Rollups, rows: readonly number[]): readonly number[] {
  const { calls, input, output } = sumColumn;
  return rows.filter((at) => [calls, input, output].some((column) => (sums[at + column] as number) > 0));
}

/** Rollups grouped by a text, sorted by it. */
export function groupsByText(selection: UsageSelection, keyOf: (at: number) => string): [string, number[]][] {
  const rows = rollupsWhere(selection.ledger.rollups, selection.keep);
  return [...groupBy(rows, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** One row of the `daily` report. */
export interface DayRow extends Amounts, Breakdown {
  /** `2026-01-31`, in the time zone of the report; `undated` for calls without a time. */
  readonly date: string;
}

/** One row of the `weekly` report. */
export interface WeekRow extends Amounts, Breakdown {
  readonly weekStart: string;
  readonly weekEnd: string;
}

/** One row of the `monthly` report. */
export interface MonthRow extends Amounts, Breakdown {
  readonly month: string;
}

export function dayRows(selection: UsageSelection, options: RowOptions): DayRow[] {
  return periodRows(selection, options, (day) => day).map(([date, row]) => ({ date, ...row }));
}

export function weekRows(selection: UsageSelection, options: RowOptions, start: Weekday): WeekRow[] {
  return periodRows(selection, options, (day) => weekOf(day, start)).map(([weekStart, row]) => ({
    weekStart,
    weekEnd: weekStart === undatedDay ? undatedDay : addDays(weekStart, 6),
    ...row,
  }));
}

export function monthRows(selection: UsageSelection, options: RowOptions): MonthRow[] {
  return periodRows(selection, options, (day) => day.slice(0, 7)).map(([month, row]) => ({ month, ...row }));
}

function periodRows(selection: UsageSelection, options: RowOptions, periodOf: (day: string) => string) {
  const keyOf = (at: number) => {
    const day = selection.dayOf(at);
    return day === undatedDay ? day : periodOf(day);
  };
  return groupsByText(selection, keyOf).map(([key, rows]) => [key, reportRow(selection, rows, options)] as const);
}

/** One row of the `models` report. */
export interface ModelRow extends Amounts, CallTimes, Pick<Breakdown, "agents"> {
  /** As the transcripts spell it. */
  readonly model: string;
  readonly speed: "standard" | "fast";
  /** Of the cost of the whole report, from 0 to 1. */
  readonly share: number;
  /** A cloud sold it: priced as the vendor lists it, which need not be what was paid. */
  readonly basis?: "list";
}

export function modelRows(selection: UsageSelection, options: RowOptions): ModelRow[] {
  const { rollups } = selection.ledger;
  const isFast = (at: number) => ((rollups.sums[at + sumColumn.situation] as number) & priceFlag.fast) !== 0;
  const keyOf = (at: number) => `${selection.modelOf(at)} ${isFast(at) ? "fast" : "standard"}`;
  const groups = groupsByText(selection, keyOf).flatMap(([key, all]) => {
    const rows = callsAmong(rollups, all);
    return rows.length === 0
      ? []
      : [{ key, rows, amounts: reportRow(selection, rows, { ...options, breakdown: false }) }];
  });
  const total = groups.reduce((all, { amounts }) => all + amounts.costMicroUsd, 0);
  return groups
    .sort((a, b) => a.amounts.costMicroUsd - b.amounts.costMicroUsd || (a.key < b.key ? 1 : -1))
    .map(({ rows, amounts }): ModelRow => {
      const [first = 0] = rows;
      const model = selection.modelOf(first);
      return {
        model,
        speed: isFast(first) ? "fast" : "standard",
        ...timesOf(rollups, rows),
        share: total === 0 ? 0 : amounts.costMicroUsd / total,
        ...(pricedModel(model).cloud ? { basis: "list" } : {}),
        ...amounts,
      };
    });
}

/** One row of the `projects` report. */
export interface ProjectRow extends Amounts, CallTimes, Breakdown {
  readonly project: string;
  /** Names of its folders of transcripts. */
  readonly folders: readonly string[];
  readonly sessions: number;
}

export function projectRows(selection: UsageSelection, options: RowOptions): ProjectRow[] {
  const { fileOf, projectOf, ledger } = selection;
  return groupsByText(selection, (at) => projectOf(fileOf(at)))
    .map(([project, rows]): ProjectRow => {
      const own = [...new Set(rows.map(fileOf))];
      return {
        project,
        folders: [...new Set(own.map((file) => file.project))].sort(),
        sessions: new Set(own.map((file) => file.session)).size,
        ...timesOf(ledger.rollups, rows),
        ...reportRow(selection, rows, options),
      };
    })
    .sort((a, b) => a.costMicroUsd - b.costMicroUsd || (a.project < b.project ? 1 : -1));
}
