import { catalog, type EventRow, type MatchedField } from "../../protocol/index.ts";
import type { LockFile } from "../edit/lock-file.ts";

/**
 * The matcher for an event's entry: `A|B` when all handlers name what they are for, an anchored expression when patterns are among
 * the names, none when any handler takes all. The app compares again, so a matcher may let too much through and never too little.
 */
export function matcherOf(event: string, ids: readonly string[], field: MatchedField | null): string | undefined {
  if (field === null) return undefined;
  const names = [...new Set(ids.map((id) => id.slice(event.length + 1)))].sort();
  if (names.some((name) => name === "" || /^\*+$/.test(name))) return undefined;
  const matcher = listed(names, field) ?? `^(?:${names.map(expression).join("|")})$`;
  return matcher.length > longest ? undefined : matcher;
}

/**
 * Whether an entry's matcher lets all through that a lock file says the handlers are for: it is the one that install wrote, or it takes
 * everything. Of an event that the lock file does not name, nothing is known.
 */
export function isMatcherAsLocked(
  matcher: unknown,
  event: string,
  { hooksRegistered, allEvents }: Pick<LockFile, "hooksRegistered" | "allEvents">,
): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  const ids = hooksRegistered.filter((id) => id === event || id.startsWith(`${event}:`));
  const rows: Readonly<Record<string, EventRow>> = catalog;
  const field = Object.hasOwn(rows, event) ? (rows[event]?.matchesOn ?? null) : null;
  if (ids.length === 0 || field === null) return true;
  return matcher === (allEvents ? undefined : matcherOf(event, ids, field));
}

/** Hosts refuse longer ones. */
const longest = 1_000;

/** Names as a list, where no host would take one of them for an expression. */
function listed(names: readonly string[], field: MatchedField): string | undefined {
  // Files are watched by the names in the list, so an expression would watch none of them.
  const plain = field.part === "basename" ? /^[^|*]+$/ : field.narrow ? /^[A-Za-z0-9_]+$/ : /^[A-Za-z0-9_-]+$/;
  return names.every((name) => plain.test(name)) ? names.join("|") : undefined;
}

function expression(name: string): string {
  return name
    .split("*")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");
}
