import { readFileSync } from "node:fs";

/**
 * Makes stack traces through a built file name the author's file and line. The map is read when a stack is first looked at:
 * most hook processes never look at one.
 */
export function mapStacks(output: string): void {
  let map: { findEntry(line: number, column: number): Partial<Entry> } | undefined;
  const previous = Error.prepareStackTrace;
  const original = (site: NodeJS.CallSite): string => {
    const text = String(site);
    if (!text.includes(output)) return text;
    map ??= readMap(output);
    const entry = map.findEntry((site.getLineNumber() ?? 1) - 1, (site.getColumnNumber() ?? 1) - 1);
    if (entry.originalSource === undefined) return text;
    const place = `${entry.originalSource}:${(entry.originalLine ?? 0) + 1}:${(entry.originalColumn ?? 0) + 1}`;
    const name = site.getFunctionName();
    return name ? `${name} (${place})` : place;
  };
  Error.prepareStackTrace = (error, sites) => {
    if (previous !== undefined && !sites.some((site) => String(site).includes(output))) return previous(error, sites);
    return [String(error), ...sites.map((site) => `    at ${original(site)}`)].join("\n");
  };
}

interface Entry {
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
}

function readMap(output: string): { findEntry(line: number, column: number): Partial<Entry> } {
  // Not imported: a start that never fails does not need it.
  const { SourceMap } = process.getBuiltinModule("node:module");
  return new SourceMap(JSON.parse(readFileSync(`${output}.map`, "utf8"))) as never;
}
