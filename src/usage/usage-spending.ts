import { defined } from "../protocol/internal.ts";
import { findRoots, findTranscripts, type TranscriptFile } from "../sessions/internal.ts";
import { rollupsWhere } from "./calls/rollups.ts";
import { liveLedger } from "./ledger/live-ledger.ts";
import { openPrices } from "./prices/price-table.ts";
import { type Amounts, amountsOf } from "./reports/amounts.ts";
import { selectRollups, sessionNamed } from "./reports/selection.ts";
import { forkSource } from "./scan/file-facts.ts";
import { checkSpentOn, type SpentOn, type SpentOptions } from "./usage-options.ts";
import { usageIndexFolder } from "./usage-report.ts";
import { readUsageSettings } from "./usage-state-files.ts";

/**
 * What was spent on answers that are complete in a transcript.
 * `complete` is false when a price or a count is missing, a transcript cannot be read, or `roots` have no transcript of the session or
 * the project, or none at all: then it is at least this much. Throws `usage/option` for an invalid question, such as the month
 * "2026-1", and `usage/session` for the beginning of several ids.
 */
export async function spent(on: SpentOn, options: SpentOptions = {}): Promise<Amounts> {
  checkSpentOn(on, options);
  const settings = readUsageSettings(options);
  const prices = openPrices(settings.prices);
  const named = options.roots?.map((root) =>
    typeof root === "string" ? ({ path: root, origin: "client" } as const) : root,
  );
  const roots = await findRoots({ ...options, roots: named });
  const unfound: string[] = [];
  const found = findTranscripts(roots, (path) => unfound.push(path));
  const session = "session" in on ? (sessionNamed(on.session, found) ?? on.session) : undefined;
  const wanted = session === undefined ? undefined : withSources(session, found);
  const files = found.filter((file) => wanted === undefined || file.session === undefined || wanted.has(file.session));
  const ledger = await liveLedger(files, prices, { folder: usageIndexFolder(roots, options) });
  const { now, timezone } = options;
  const selection = selectRollups(ledger, {
    ...defined({ now, timezone, projectNames: settings.projects }),
    ...("day" in on ? { since: on.day, until: on.day } : {}),
    ...("project" in on ? { project: on.project } : {}),
  });
  const { rollups } = ledger;
  const isAsked = (at: number): boolean => {
    if (session !== undefined) return selection.fileOf(at).session === session;
    if ("month" in on) return selection.dayOf(at).startsWith(on.month);
    return selection.keep(at);
  };
  const amounts = amountsOf(rollups, rollupsWhere(rollups, isAsked), "auto");
  const isWhole = unfound.length === 0 && ledger.unread.length === 0;
  const isFound =
    session === undefined ? ledger.files.some(selection.hasFile) : found.some((file) => file.session === session);
  return { ...amounts, complete: amounts.complete && isFound && isWhole };
}

/** A session and those it was forked from: the calls that a fork repeats are theirs. */
function withSources(session: string, files: readonly TranscriptFile[]): ReadonlySet<string> {
  const known = new Set<string>();
  for (let next: string | undefined = session; next !== undefined && !known.has(next); ) {
    const id: string = next;
    known.add(id);
    const main = files.find((file) => file.session === id && file.agent === undefined);
    next = main === undefined ? undefined : forkSource(main.path);
  }
  return known;
}
