import type { HomeSource } from "../files/internal.ts";
import { defined, fieldOf, isObject, parseJson, textField } from "../protocol/internal.ts";
import { findRoots, findTranscriptsOf } from "../sessions/internal.ts";
import { rollupsWhere, sumColumn } from "./calls/rollups.ts";
import { type LiveLedger, liveLedger } from "./ledger/live-ledger.ts";
import { openPrices } from "./prices/price-table.ts";
import { type Amounts, amountsOf } from "./reports/amounts.ts";
import { selectRollups } from "./reports/selection.ts";
import { blockRows } from "./reports/usage-blocks.ts";
import { checkStatuslineOptions } from "./usage-options.ts";
import { usageIndexFolder } from "./usage-report.ts";
import { readUsageSettings, saveStatuslineCost } from "./usage-state-files.ts";

/** Options of `statusline`. */
export interface StatuslineOptions extends HomeSource {
  /** Milliseconds. Default: the current time. */
  readonly now?: number;
  /** Default: the time zone of the system. */
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
 * The figures for a status line: this session is current, the rest is from the last report. `text` is the JSON that Claude Code sends.
 * Reads only new bytes of this session.
 */
export async function statusline(text: string, options: StatuslineOptions = {}): Promise<Statusline> {
  checkStatuslineOptions(text, options);
  const input = readStatuslineInput(text);
  const settings = readUsageSettings(options);
  const prices = openPrices(settings.prices);
  const roots = await findRoots(options);
  const unfound: string[] = [];
  const onUnread = (path: string) => unfound.push(path);
  const files = input.transcript === undefined ? [] : findTranscriptsOf(input.transcript, onUnread);
  const ledger = await liveLedger(files, prices, { folder: usageIndexFolder(roots, options), maxBytes: mostBytes });
  if (input.session !== undefined && input.hostMicroUsd !== undefined) {
    // Kept for `usage session --reconcile`; a status line does not fail for it.
    await saveStatuslineCost(options, input.session, input.hostMicroUsd).catch(() => undefined);
  }
  return {
    ...input,
    ...figures(ledger, input, options),
    isWhole: ledger.isWhole && unfound.length === 0 && ledger.unread.length === 0,
  };
}

function figures(
  ledger: LiveLedger,
  input: StatuslineInput,
  { now = Date.now(), timezone }: StatuslineOptions,
): Pick<Statusline, "sessionCost" | "today" | "block"> {
  const selection = selectRollups(ledger, { now, ...defined({ timezone }) });
  const { rollups } = ledger;
  const today = selection.zone.dayOf(now);
  const todays = rollupsWhere(rollups, (at) => selection.dayOf(at) === today);
  const own = rollupsWhere(rollups, (at) => selection.fileOf(at).session === input.session);
  const options = { mode: "auto", breakdown: false, agents: false } as const;
  const recent = {
    ...selection,
    keep: (at: number) => (rollups.sums[at + sumColumn.lastAt] as number) > now - 24 * 3_600_000,
  };
  const block = blockRows(recent, options, now, undefined).find((row) => row.active);
  return {
    sessionCost: own.length === 0 ? undefined : amountsOf(rollups, own, "auto"),
    today: amountsOf(rollups, todays, "auto"),
    block: block && {
      costMicroUsd: block.costMicroUsd,
      minutesLeft: Math.max(0, Math.round((Date.parse(block.endAt) - now) / 60_000)),
      complete: block.complete,
    },
  };
}

/** What Claude Code passes to its status line; every field may be missing. */
export interface StatuslineInput {
  readonly session: string | undefined;
  readonly transcript: string | undefined;
  readonly model: string | undefined;
  readonly hostMicroUsd: number | undefined;
  /** Share of the context window in use, from 0 to 1. */
  readonly context: number | undefined;
  readonly limits: readonly { readonly name: string; readonly share: number }[];
}

/** Contract: never throws; missing or unexpected fields are absent. */
function readStatuslineInput(text: string): StatuslineInput {
  // Some shells on Windows put a byte order mark before what they pipe.
  const input = parseJson(text.replace(/^\uFEFF/, ""));
  const model = fieldOf(input, "model");
  const cost = numberAt(fieldOf(input, "cost"), "total_cost_usd");
  return {
    session: textAt(input, "session_id"),
    transcript: textAt(input, "transcript_path"),
    model: typeof model === "string" ? model : (textAt(model, "display_name") ?? textAt(model, "id")),
    hostMicroUsd: cost === undefined ? undefined : Math.round(cost * 1e6),
    context: contextShare(fieldOf(input, "context_window")),
    limits: limitsIn(fieldOf(input, "rate_limits")),
  };
}

function contextShare(window: unknown): number | undefined {
  const percentage = numberAt(window, "used_percentage");
  if (percentage !== undefined) return percentage / 100;
  const size = numberAt(window, "context_window_size");
  const used = numberAt(window, "total_input_tokens") ?? numberAt(fieldOf(window, "current_usage"), "input_tokens");
  return size === undefined || size <= 0 || used === undefined ? undefined : used / size;
}

const limitNames = new Map(Object.entries({ five_hour: "5h", seven_day: "7d" }));

function limitsIn(limits: unknown): StatuslineInput["limits"] {
  return Object.entries(isObject(limits) ? limits : {}).flatMap(([name, value]) => {
    const share = numberAt(value, "used_percentage");
    return share === undefined ? [] : [{ name: limitNames.get(name) ?? name, share: share / 100 }];
  });
}

function textAt(from: unknown, key: string): string | undefined {
  return textField(from, key) || undefined;
}

function numberAt(from: unknown, key: string): number | undefined {
  const value = fieldOf(from, key);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
