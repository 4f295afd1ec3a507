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
    const [line, column] = [site.getLineNumber() ?? 1, site.getColumnNumber() ?? 1];
    map ??= readMap(output);
    const entry = map.findEntry(line - 1, column - 1);
    if (entry.originalSource === undefined) return text;
    const place = `${entry.originalSource}:${(entry.originalLine ?? 0) + 1}:${(entry.originalColumn ?? 0) + 1}`;
    return text.replace(`${site.getFileName()}:${line}:${column}`, () => place);
  };
  Error.prepareStackTrace = (error, sites) => {
    if (previous !== undefined && !sites.some((site) => String(site).includes(output))) return previous(error, sites);
    return [header(error), ...sites.map((site) => `    at ${original(site)}`)].join("\n");
  };
}

/** As Node reckons it: a stack can be captured for anything. */
function header(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "<error>"; // its name or message throws
  }
}

interface Entry {
  /** A URL. */
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
}

function readMap(output: string): { findEntry(line: number, column: number): Partial<Entry> } {
  // Not imported: a start that never fails does not need it.
  const { SourceMap } = process.getBuiltinModule("node:module");
  try {
    return new SourceMap(JSON.parse(readFileSync(`${output}.map`, "utf8"))) as never;
  } catch {
    return { findEntry: () => ({}) }; // old builds make room: the place in the built file is better than a stack that throws
  }
}
