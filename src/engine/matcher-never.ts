import { type EventRow, likelyMissed, likelyName, type Warning } from "../protocol/index.ts";
import { type Matcher, matches } from "./matcher.ts";

/** A warning for each name in a matcher that no host sends, unless the matcher has the name that was meant too. */
export function neverMatching(matcher: Matcher, row: EventRow, place: string): readonly Warning[] {
  if (row.matchesOn === null) return [];
  const code = "matcher-never";
  if (matcher.kind === "expression") {
    const isPath = row.matchesOn.part === "basename" && /^[\w./ -]+$/.test(matcher.text);
    const path = isPath ? likelyName(row, matcher.text) : undefined;
    const meant = path ?? likelyMissed(row, matcher.text, (value) => matches(matcher, value));
    if (meant === undefined) return [];
    const message = `The matcher "${matcher.text}" matches no name that is known. Did you mean "${meant}"?`;
    return [{ code, message, place }];
  }
  if (matcher.kind !== "names") return [];
  const names = [...matcher.names];
  if (names.length === 0) return [{ code, message: `The matcher "${matcher.text}" names nothing.`, place }];
  return names.flatMap((name): readonly Warning[] => {
    // No tool has a space in its name.
    const list = row.special.onTool && name.includes(" ") ? name.replace(/ +/g, "|") : undefined;
    const meant = likelyName(row, name) ?? list;
    if (meant === undefined || matcher.names.has(meant)) return [];
    const which = names.length === 1 ? `The matcher "${name}"` : `"${name}" in the matcher "${matcher.text}"`;
    // A host may have a tool of its own that differs from a known one by case alone, so only this much is certain.
    const isCase = meant.toLowerCase() === name.toLowerCase();
    const why = isCase ? `does not match "${meant}": case counts` : "never matches";
    return [{ code, message: `${which} ${why}. Did you mean "${meant}"?`, place }];
  });
}
