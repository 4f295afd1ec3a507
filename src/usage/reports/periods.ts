import type { Amounts } from "./amounts.ts";
import { addDays, type Weekday, weekOf } from "./calendar.ts";
import { type Breakdown, grouped, type RowOptions, rowOf } from "./report-rows.ts";
import { type Selection, undated } from "./selection.ts";

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
  return grouped(selection, selection.dayOf).map(([date, rows]) => ({ date, ...rowOf(selection, rows, options) }));
}

export function weekRows(selection: Selection, options: RowOptions, start: Weekday): WeekRow[] {
  const week = (at: number) => {
    const day = selection.dayOf(at);
    return day === undated ? day : weekOf(day, start);
  };
  return grouped(selection, week).map(([weekStart, rows]) => ({
    weekStart,
    weekEnd: weekStart === undated ? undated : addDays(weekStart, 6),
    ...rowOf(selection, rows, options),
  }));
}

export function monthRows(selection: Selection, options: RowOptions): MonthRow[] {
  const month = (at: number) => {
    const day = selection.dayOf(at);
    return day === undated ? day : day.slice(0, 7);
  };
  return grouped(selection, month).map(([name, rows]) => ({ month: name, ...rowOf(selection, rows, options) }));
}
