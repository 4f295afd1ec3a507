import type { HomeSource } from "../files/internal.ts";
import { defined } from "../protocol/index.ts";
import { findRoots, findTranscriptsOf } from "../sessions/index.ts";
import { sum } from "./calls/rollups.ts";
import { type LiveLedger, liveLedger } from "./ledger/live-ledger.ts";
import { openPrices } from "./prices/price-table.ts";
import { type Amounts, amountsOf } from "./reports/amounts.ts";
import { select } from "./reports/selection.ts";
import { blockRows } from "./reports/usage-blocks.ts";
import { keepStatuslineCost } from "./statusline-costs.ts";
import { readStatuslineInput, type StatuslineInput } from "./statusline-input.ts";
import { indexFolder } from "./usage-report.ts";
import { readUsageSettings } from "./usage-state-files.ts";

export interface StatuslineOptions extends HomeSource {
  readonly now?: number;
  readonly timezone?: string;
}

/** Figures for one line. */
export interface Statusline extends StatuslineInput {
  readonly sessionCost: Amounts | undefined;
  readonly today: Amounts;
  /** The block of five hours that runs now. */
  readonly block:
    | { readonly costMicroUsd: number; readonly minutesLeft: number; readonly complete: boolean }
    | undefined;
  /** False when a long transcript has not been read to its end yet, or one cannot be read. */
  readonly isWhole: boolean;
}

/** What one call may read: a long session that was never read takes a few calls. */
const mostBytes = 8 * 1024 * 1024;

/**
 * What a status line shows, from the client's JSON: this session up to its last line, all else as the last report left it.
 * Reads only new bytes of this session and opens no database.
 */
export async function statusline(text: string, options: StatuslineOptions = {}): Promise<Statusline> {
  const input = readStatuslineInput(text);
  const settings = readUsageSettings(options);
  const prices = openPrices(settings.prices);
  const roots = await findRoots(options);
  let isWhole = true;
  const unread = () => {
    isWhole = false;
  };
  const files = input.transcript === undefined ? [] : findTranscriptsOf(input.transcript, unread);
  const ledger = await liveLedger(files, prices, { folder: indexFolder(roots, options), maxBytes: mostBytes });
  if (input.session !== undefined && input.hostMicroUsd !== undefined) {
    // Kept for `usage session --reconcile`; a status line does not fail for it.
    await keepStatuslineCost(options, input.session, input.hostMicroUsd).catch(() => undefined);
  }
  return {
    ...input,
    ...figures(ledger, input, options),
    isWhole: isWhole && ledger.isWhole && ledger.unread.length === 0,
  };
}

function figures(
  ledger: LiveLedger,
  input: StatuslineInput,
  { now = Date.now(), timezone }: StatuslineOptions,
): Pick<Statusline, "sessionCost" | "today" | "block"> {
  const selection = select(ledger, { now, ...defined({ timezone }) });
  const { rollups, files } = ledger;
  const today = selection.zone.dayOf(now);
  const todays: number[] = [];
  const own: number[] = [];
  for (let at = 0; at < rollups.count * sum.size; at += sum.size) {
    if (selection.dayOf(at) === today) todays.push(at);
    if (input.session !== undefined && files[rollups.sums[at + sum.file] as number]?.session === input.session)
      own.push(at);
  }
  const options = { mode: "auto", breakdown: false, agents: false } as const;
  const recent = {
    ...selection,
    keep: (at: number) => (rollups.sums[at + sum.lastAt] as number) > now - 24 * 3_600_000,
  };
  const block = blockRows(recent, options, now, undefined).find((row) => row.active);
  return {
    sessionCost: own.length === 0 ? undefined : amountsOf(rollups, own, "auto"),
    today: amountsOf(rollups, todays, "auto"),
    block:
      block === undefined
        ? undefined
        : {
            costMicroUsd: block.costMicroUsd,
            minutesLeft: Math.max(0, Math.round((Date.parse(block.endAt) - now) / 60_000)),
            complete: block.complete,
          },
  };
}
