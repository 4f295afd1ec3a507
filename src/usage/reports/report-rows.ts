import { groupBy } from "../../protocol/internal.ts";
import { priceFlag, rollupsWhere, sumColumn } from "../calls/rollups.ts";
import { pricedModel } from "../prices/price-table.ts";
import { type Amounts, amountsOf, type CostMode, timesOf } from "./amounts.ts";
import { addDays, type Weekday, weekOf } from "./calendar.ts";
import { type Selection, undatedDay } from "./selection.ts";

/** What rows may hold beside their own amounts: the same by model, and by type of agent. */
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
export function reportRow(selection: Selection, rows: readonly number[], options: RowOptions): Amounts & Breakdown {
  const { rollups } = selection.ledger;
  const amounts = amountsOf(rollups, rows, options.mode);
  return {
    ...amounts,
    ...(options.breakdown
      ? {
          models: breakdownBy(selection, rows, options.mode, selection.modelOf).map(([model, own]) => ({
            model,
            ...own,
          })),
        }
      : {}),
    ...(options.agents
      ? {
          agents: breakdownBy(selection, rows, options.mode, selection.agentType).map(([agentType, own]) => ({
            agentType,
            ...own,
          })),
        }
      : {}),
  };
}

/** Largest cost first. What no call stands for, such as an API error's made-up model, has no row of its own. */
function breakdownBy(
  { ledger }: Selection,
  rows: readonly number[],
  mode: CostMode,
  keyOf: (at: number) => string,
): [string, Amounts][] {
  const own = rows.filter((at) => holdsTokens(ledger.rollups.sums, at));
  return [...groupBy(own, keyOf)]
    .map(([key, some]): [string, Amounts] => [key, amountsOf(ledger.rollups, some, mode)])
    .sort(([a, x], [b, y]) => y.costMicroUsd - x.costMicroUsd || (a < b ? -1 : 1));
}

export function holdsTokens(sums: Float64Array, at: number): boolean {
  return (
    (sums[at + sumColumn.calls] as number) > 0 ||
    (sums[at + sumColumn.input] as number) + (sums[at + sumColumn.output] as number) > 0
  );
}

/** Rollups grouped by a text, sorted by it. */
export function groupsByText(selection: Selection, keyOf: (at: number) => string): [string, number[]][] {
  const rows = rollupsWhere(selection.ledger.rollups, selection.keep);
  return [...groupBy(rows, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
}

export interface DayRow extends Amounts, Breakdown {
  readonly date: string;
}

export interface WeekRow extends Amounts, Breakdown {
  readonly weekStart: string;
  readonly weekEnd: string;
}

export interface MonthRow extends Amounts, Breakdown {
  readonly month: string;
}

export function dayRows(selection: Selection, options: RowOptions): DayRow[] {
  return groupsByText(selection, selection.dayOf).map(([date, rows]) => ({
    date,
    ...reportRow(selection, rows, options),
  }));
}

export function weekRows(selection: Selection, options: RowOptions, start: Weekday): WeekRow[] {
  const week = (at: number) => {
    const day = selection.dayOf(at);
    return day === undatedDay ? day : weekOf(day, start);
  };
  return groupsByText(selection, week).map(([weekStart, rows]) => ({
    weekStart,
    weekEnd: weekStart === undatedDay ? undatedDay : addDays(weekStart, 6),
    ...reportRow(selection, rows, options),
  }));
}

export function monthRows(selection: Selection, options: RowOptions): MonthRow[] {
  const month = (at: number) => {
    const day = selection.dayOf(at);
    return day === undatedDay ? day : day.slice(0, 7);
  };
  return groupsByText(selection, month).map(([name, rows]) => ({
    month: name,
    ...reportRow(selection, rows, options),
  }));
}

export interface ModelRow extends Amounts, Pick<Breakdown, "agents"> {
  /** As the transcripts spell it. */
  readonly model: string;
  readonly speed: "standard" | "fast";
  readonly firstAt?: string;
  readonly lastAt?: string;
  /** Of the cost of the whole report, from 0 to 1. */
  readonly share: number;
  /** A cloud sold it: priced as the vendor lists it, which need not be what was paid. */
  readonly basis?: "list";
}

export function modelRows(selection: Selection, options: RowOptions): ModelRow[] {
  const { rollups } = selection.ledger;
  const keyOf = (at: number) => `${isFast(rollups.sums, at) ? "fast" : "standard"} ${selection.modelOf(at)}`;
  const rows = groupsByText(selection, keyOf).flatMap(([key, all]) => {
    const own = all.filter((at) => holdsTokens(rollups.sums, at));
    if (own.length === 0) return [];
    const [speed = "standard", ...rest] = key.split(" ");
    return [
      {
        model: rest.join(" "),
        speed: speed as ModelRow["speed"],
        own,
        amounts: reportRow(selection, own, { ...options, breakdown: false }),
      },
    ];
  });
  const total = rows.reduce((all, { amounts }) => all + amounts.costMicroUsd, 0);
  return rows
    .map(
      ({ model, speed, own, amounts }): ModelRow => ({
        model,
        speed,
        ...timesOf(rollups, own),
        share: total === 0 ? 0 : amounts.costMicroUsd / total,
        ...(pricedModel(model).cloud ? { basis: "list" as const } : {}),
        ...amounts,
      }),
    )
    .sort((a, b) => a.costMicroUsd - b.costMicroUsd || (nameOf(a) < nameOf(b) ? 1 : -1));
}

function nameOf({ model, speed }: ModelRow): string {
  return `${model} ${speed}`;
}

function isFast(sums: Float64Array, at: number): boolean {
  return ((sums[at + sumColumn.situation] as number) & priceFlag.fast) !== 0;
}

export interface ProjectRow extends Amounts, Breakdown {
  readonly project: string;
  /** Names of its folders of transcripts. */
  readonly folders: readonly string[];
  readonly sessions: number;
  readonly firstAt?: string;
  readonly lastAt?: string;
}

export function projectRows(selection: Selection, options: RowOptions): ProjectRow[] {
  const { files, rollups } = selection.ledger;
  const fileOf = (at: number) => rollups.sums[at + sumColumn.file] as number;
  return groupsByText(selection, (at) => selection.projects.of(fileOf(at)))
    .map(([project, rows]): ProjectRow => {
      const own = [...new Set(rows.map(fileOf))].flatMap((file) => files[file] ?? []);
      return {
        project,
        folders: [...new Set(own.map((file) => file.project))].sort(),
        sessions: new Set(own.map((file) => file.session)).size,
        ...timesOf(rollups, rows),
        ...reportRow(selection, rows, options),
      };
    })
    .sort((a, b) => a.costMicroUsd - b.costMicroUsd || (a.project < b.project ? 1 : -1));
}
