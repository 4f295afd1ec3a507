import { join } from "node:path";
import { type HomeSource, sha256, statePath } from "../files/internal.ts";
import { findRoots, findTranscripts, type SessionRoot } from "../sessions/internal.ts";
import { indexedLedger } from "./ledger/indexed-ledger.ts";
import { scanAll, type UnreadFile, unreadFile } from "./ledger/ledger.ts";
import { openPrices } from "./prices/price-table.ts";
import { makeReport, type UsageReport } from "./reports/build-report.ts";
import { checkUsageOptions, type ReportName, type UsageOptions } from "./usage-options.ts";
import { readUsageSettings, statuslineCosts } from "./usage-state-files.ts";

/**
 * Tokens and cost of every call in the transcripts, each counted once.
 *
 * Contract: nothing is fetched and no transcript is changed. With an index the answer is that of a fresh scan.
 */
export async function usageReport<Name extends ReportName = "daily">(
  options: UsageOptions & { readonly report?: Name } = {},
): Promise<UsageReport<Name>> {
  checkUsageOptions(options);
  const settings = readUsageSettings(options);
  const prices = openPrices(options.prices ?? settings.prices);
  const roots = await findRoots(options);
  const unfound: UnreadFile[] = [];
  const found = findTranscripts(roots, (path, error) => unfound.push(unreadFile(path, error)));
  const request = settings.projects === undefined ? options : { projectNames: settings.projects, ...options };
  const of = found.reduce((all, file) => all + file.size, 0);
  let bytes = 0;
  const scan = {
    signal: options.signal,
    onBytes(count: number) {
      bytes += count;
      options.onProgress?.({ bytes, of });
    },
  };
  const index = { folder: usageIndexFolder(roots, options), rescan: options.index === "rescan" };
  const read = await (options.index === false
    ? scanAll(found, prices, scan)
    : indexedLedger(found, prices, { ...scan, ...index }));
  const ledger = { ...read, unread: [...unfound, ...read.unread] };
  const statusline = options.reconcile ? statuslineCosts(options) : undefined;
  return makeReport(options.report ?? ("daily" as Name), ledger, request, prices, statusline);
}

/** One index for the folders a user usually has, and one for every other choice of folders. */
export function usageIndexFolder(
  roots: readonly SessionRoot[],
  source: HomeSource & { readonly roots?: unknown },
): string {
  const folder = join(statePath(source), "usage");
  const { env = process.env } = source;
  if (source.roots === undefined && !env["CLAUDE_CONFIG_DIR"]) return folder;
  const name = sha256(JSON.stringify(roots.map((root) => root.path))).slice(0, 12);
  return join(folder, `roots-${name}`);
}
