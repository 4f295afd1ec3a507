import { sum } from "../calls/rollups.ts";
import { type Amounts, timesOf } from "./amounts.ts";
import { type Breakdown, grouped, type RowOptions, rowOf } from "./report-rows.ts";
import type { Selection } from "./selection.ts";

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
  const fileOf = (at: number) => rollups.sums[at + sum.file] as number;
  return grouped(selection, (at) => selection.projects.of(fileOf(at)))
    .map(([project, rows]): ProjectRow => {
      const own = [...new Set(rows.map(fileOf))].flatMap((file) => files[file] ?? []);
      return {
        project,
        folders: [...new Set(own.map((file) => file.project))].sort(),
        sessions: new Set(own.map((file) => file.session)).size,
        ...timesOf(rollups, rows),
        ...rowOf(selection, rows, options),
      };
    })
    .sort((a, b) => a.costMicroUsd - b.costMicroUsd || (a.project < b.project ? 1 : -1));
}
