import { interruptedResult } from "../formats/claude-code/interrupted-result.ts";
import type { Entry, UserEntry } from "../model/entry.ts";
import type { Thread } from "../model/transcript-conversation.ts";
import { withoutBlocks } from "../write/without-blocks.ts";
import { loneUses, strayResults } from "./check-tools.ts";
import type { Desk } from "./repair-changes.ts";
import type { UuidOf } from "./repair-lines.ts";

/** Takes out results of calls that were never made or were answered before. Gives the entries that go altogether. */
export function mendResults(thread: Thread, desk: Desk, isCalled: (id: string) => boolean): ReadonlySet<Entry> {
  const strays = new Map<UserEntry, { codes: Set<string>; blocks: Set<number> }>();
  for (const { entry, block, code } of strayResults(thread, isCalled)) {
    const known = strays.get(entry) ?? { codes: new Set(), blocks: new Set() };
    strays.set(entry, known);
    known.codes.add(code);
    known.blocks.add(block);
  }
  const gone = new Set<Entry>();
  for (const [entry, { codes, blocks }] of strays) {
    const change = desk.change(entry);
    const why = [...codes].join(", ");
    if (blocks.size === entry.content.length) {
      gone.add(entry);
      change.aside.push({ why, content: entry.raw() });
      change.bytes = null;
      desk.say(entry, why, `line ${entry.line} is set aside`);
    } else if (change.bytes !== null) {
      const { line, removed } = withoutBlocks(change.bytes, blocks);
      change.bytes = line;
      change.aside.push({ why, content: removed });
      desk.say(entry, why, `${removed.length} results of line ${entry.line} are set aside`);
    }
  }
  return gone;
}

/** Gives every call that was never answered a result that says it was interrupted. */
export function mendUses(thread: Thread, desk: Desk, uuidOf: UuidOf, uuid: () => string): void {
  for (const { id, name, use } of loneUses(thread)) {
    desk.change(use).after.push(interruptedResult(use, id, uuidOf(use), uuid()));
    desk.say(use, "tool-use-without-result", `${name} (${id}) of line ${use.line} gets a result: interrupted`);
  }
}
