import { catalog, isEventName } from "./catalog.ts";
import { foreignName } from "./foreign-names.ts";
import { nearest } from "./near.ts";
import type { EventRow } from "./row.ts";

/** Tools that agents have had for long. No one can say of another name that it never comes. */
const tools =
  "Agent Bash Edit Glob Grep LS MultiEdit NotebookEdit NotebookRead Read Skill Task TodoWrite WebFetch WebSearch Write";

/** The name that was meant, when a host never sends this one to a matcher of the event. Undefined when it may come. */
export function likelyName(row: EventRow, name: string): string | undefined {
  if (row.matchesOn === null) return undefined;
  const field = row.fields[row.matchesOn.field];
  const words = field?.is === "text" ? field.of : undefined;
  const known = words ?? (row.special.onTool ? tools.split(" ") : []);
  if (known.includes(name)) return undefined;
  if (row.special.onTool && /^mcp__(?:(?!__).)+$/.test(name)) return `${name}__.*`;
  const near = nearest(name, known);
  // With a closed list anything else never comes; with an open one only what is plainly another spelling.
  if (field?.is === "text" && words !== undefined && field.open !== true) return near ?? known.join(", ");
  return near !== undefined && near.toLowerCase() === name.toLowerCase() ? near : undefined;
}

/** What is wrong with the handlers of an app, by the ids that it gives them (`PreToolUse:bash`): one sentence for each that never runs. */
export function neverMatching(event: string, ids: readonly string[]): readonly string[] {
  if (!isEventName(event)) {
    const near = nearest(event, Object.keys(catalog));
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    return [`"${event}" is not an event of Claude Code, so its handlers never run.${hint}`];
  }
  const names = ids.map((id) => id.slice(event.length + 1)).filter((name) => name !== "" && !name.includes("*"));
  return names.flatMap((name) => {
    const foreign = catalog[event].special.onTool ? foreignName(undefined, name) : undefined;
    const meant = likelyName(catalog[event], name);
    if (meant !== undefined) return [`A handler of ${event} for "${name}" never runs. Did you mean "${meant}"?`];
    if (foreign === undefined) return [];
    return [`A handler of ${event} for "${name}" never runs: ${foreign.agent} has such a tool, Claude Code has not.`];
  });
}
