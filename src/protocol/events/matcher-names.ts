import { closestName } from "../did-you-mean.ts";
import { foreignName } from "../foreign-names.ts";
import { fitsWildcard } from "../wildcard.ts";
import { catalog, isEventName } from "./catalog.ts";
import type { EventRow } from "./event-row.ts";

/** Tools that agents have had for long. No one can say of another name that it never comes. */
const tools =
  "Agent Bash Edit Glob Grep LS MultiEdit NotebookEdit NotebookRead Read Skill Task TodoWrite WebFetch WebSearch Write";

/** The name that was meant, when a host never sends this one to a matcher of the event. Undefined when it may come. */
export function intendedName(row: EventRow, name: string): string | undefined {
  if (row.matchesOn === null) return undefined;
  const { known, closed } = valuesOf(row);
  if (known.includes(name)) return undefined;
  if (row.matchesOn.part === "basename" && /\/[^/]/.test(name))
    return name.slice(name.lastIndexOf("/") + 1) || undefined;
  const [, server] = (row.special.onTool && /^(mcp__(?:(?!__).)+)(?:__)?$/.exec(name)) || [];
  if (server !== undefined) return `${server}__.*`;
  const near = closestName(name, known);
  // With a closed list anything else never comes; with an open one only what is plainly another spelling.
  if (closed) return near ?? known.join(", ");
  return near !== undefined && near.toLowerCase() === name.toLowerCase() ? near : undefined;
}

/** The same for a pattern: it matches no value that is known, though it has the name of one in it (`^bash$`, `/Bash/`, `Bash Edit`). */
export function intendedInPattern(
  row: EventRow,
  pattern: string,
  test: (value: string) => boolean,
): string | undefined {
  const { known, closed } = valuesOf(row);
  // `Bash.+` is for tools whose names begin so.
  if (known.length === 0 || known.some((name) => test(name) || test(`${name}Output`))) return undefined;
  // Part of a longer name may be the word: `mcp__files__(read|write)`.
  if (!closed && /[_-]/.test(pattern)) return undefined;
  const words = new Set(
    pattern
      .toLowerCase()
      .replace(/\\[a-z]/g, " ")
      .split(/\W+/),
  );
  return known.find((name) => words.has(name.toLowerCase())) ?? (closed ? known.join(", ") : undefined);
}

/** The values that a matcher of the event is compared with, as far as they are known; `closed` when there are no others. */
function valuesOf(row: EventRow): { readonly known: readonly string[]; readonly closed: boolean } {
  const field = row.matchesOn === null ? undefined : row.fields[row.matchesOn.field];
  const words = field?.is === "text" ? field.of : undefined;
  const known = words ?? (row.special.onTool ? tools.split(" ") : []);
  return { known, closed: field?.is === "text" && words !== undefined && field.open !== true };
}

/** What is wrong with the handlers of an app, by the ids that it gives them (`PreToolUse:bash`): one sentence for each that never runs. */
export function handlersThatNeverRun(event: string, ids: readonly string[]): readonly string[] {
  if (!isEventName(event)) {
    const near = closestName(event, Object.keys(catalog));
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    return [`"${event}" is not an event of Claude Code, so its handlers never run.${hint}`];
  }
  const names = ids.map((id) => id.slice(event.length + 1)).filter((name) => name !== "");
  return names.flatMap((name) => {
    const foreign = catalog[event].special.onTool ? foreignName(undefined, name) : undefined;
    const missed = intendedInPattern(catalog[event], name, (value) => fitsWildcard(name, value));
    const meant = (name.includes("*") ? undefined : intendedName(catalog[event], name)?.replace(".*", "*")) ?? missed;
    if (meant !== undefined) return [`A handler of ${event} for "${name}" never runs. Did you mean "${meant}"?`];
    if (foreign === undefined) return [];
    return [`A handler of ${event} for "${name}" never runs: ${foreign.agent} has such a tool, Claude Code has not.`];
  });
}
