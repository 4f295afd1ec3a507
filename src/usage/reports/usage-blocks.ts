import { groupBy } from "../../protocol/internal.ts";
import { quarterMs, rollupsWhere, sumColumn } from "../calls/rollups.ts";
import { type Amounts, amountsOf, tokensIn } from "./amounts.ts";
import { type Breakdown, type RowOptions, reportRow } from "./report-rows.ts";
import type { UsageSelection } from "./selection.ts";

/** Five hours of use, as limits are counted. */
export interface BlockRow extends Amounts, Breakdown {
  readonly startAt: string;
  readonly endAt: string;
  /** The last call in it; null in a gap. */
  readonly lastAt: string | null;
  readonly active: boolean;
  /** Silence between two blocks: no calls. */
  readonly gap: boolean;
  /** From the first call to the last; null when that is 0. */
  readonly burn: { readonly tokensPerMinute: number; readonly costMicroUsdPerHour: number } | null;
  /** At the same rate until the end of the block; only for the active block. */
  readonly projection: { readonly tokens: number; readonly costMicroUsd: number; readonly minutesLeft: number } | null;
  readonly limit: { readonly tokens: number; readonly share: number } | null;
  /** When a limit that was reached in this block ends. */
  readonly resetAt: string | null;
}

const blockMs = 5 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;

export function blockRows(
  selection: UsageSelection,
  options: RowOptions,
  now: number,
  tokenLimit: number | "max" | undefined,
): BlockRow[] {
  const { rollups } = selection.ledger;
  const spans = spansOf(selection);
  const sizeOf = ({ rows }: BlockTimes) => tokensIn(amountsOf(rollups, rows, options.mode));
  // The maximum of nothing is below 0, which means no limit.
  const limit = tokenLimit === "max" ? Math.max(...spans.slice(0, -1).map(sizeOf)) : tokenLimit;
  const limits = selection.ledger.files.flatMap((file) => file.facts.limits);
  return spans.flatMap((span, index) => {
    const before = spans[index - 1];
    const hasGap = before !== undefined && span.first - before.last > blockMs;
    return hasGap ? [gapRow(before, span), blockRow(span)] : [blockRow(span)];
  });

  function blockRow({ start, first, last, rows }: BlockTimes): BlockRow {
    const own = reportRow(selection, rows, options);
    const end = start + blockMs;
    const active = now < end && now - last < blockMs;
    const minutes = (last - first) / 60_000;
    const tokens = tokensIn(own);
    const burn =
      minutes <= 0
        ? null
        : {
            tokensPerMinute: Math.round(tokens / minutes),
            costMicroUsdPerHour: Math.round((own.costMicroUsd / minutes) * 60),
          };
    const minutesLeft = Math.max(0, Math.round((end - now) / 60_000));
    const projection =
      !active || burn === null
        ? null
        : {
            tokens: tokens + burn.tokensPerMinute * minutesLeft,
            costMicroUsd: own.costMicroUsd + Math.round((burn.costMicroUsdPerHour * minutesLeft) / 60),
            minutesLeft,
          };
    const reset = limits.findLast(({ at }) => at >= start && at < end)?.resetAt;
    return {
      startAt: iso(start),
      endAt: iso(end),
      lastAt: iso(last),
      active,
      gap: false,
      burn,
      projection,
      limit: limit === undefined || limit <= 0 ? null : { tokens: limit, share: tokens / limit },
      resetAt: reset === undefined ? null : iso(reset),
      ...own,
    };
  }

  function gapRow(before: BlockTimes, after: BlockTimes): BlockRow {
    return {
      startAt: iso(before.last + blockMs),
      endAt: iso(after.first),
      lastAt: null,
      active: false,
      gap: true,
      burn: null,
      projection: null,
      limit: null,
      resetAt: null,
      ...amountsOf(rollups, [], options.mode),
    };
  }
}

/** One block: its calls, from the first to the last. */
interface BlockTimes {
  /** The first call's time, floored to the hour (UTC). */
  readonly start: number;
  readonly first: number;
  last: number;
  readonly rows: number[];
}

/** Quarters of an hour are enough: blocks end at full hours, and no silence of five hours fits in a quarter. */
function spansOf({ ledger, keep }: UsageSelection): BlockTimes[] {
  const { rollups } = ledger;
  const quarters = [...groupBy(rollupsWhere(rollups, keep), (at) => rollups.sums[at + sumColumn.quarter] as number)]
    .filter(([quarter]) => quarter >= 0)
    .sort(([a], [b]) => a - b);
  const spans: BlockTimes[] = [];
  for (const [quarter, rows] of quarters) {
    const calls = rows.filter((at) => (rollups.sums[at + sumColumn.calls] as number) > 0);
    const times = calls.length > 0 ? calls : rows;
    const first = Math.min(...times.map((at) => rollups.sums[at + sumColumn.firstAt] as number));
    const last = Math.max(...times.map((at) => rollups.sums[at + sumColumn.lastAt] as number));
    const current = spans.at(-1);
    if (current === undefined || quarter * quarterMs >= current.start + blockMs || first - current.last > blockMs) {
      spans.push({ start: Math.floor(first / hourMs) * hourMs, first, last, rows: [...rows] });
    } else {
      current.last = Math.max(current.last, last);
      current.rows.push(...rows);
    }
  }
  return spans;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
