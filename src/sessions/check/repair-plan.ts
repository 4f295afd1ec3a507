import type { Entry, Item } from "../model/entry.ts";
import type { Thread } from "../model/transcript-conversation.ts";
import { withField } from "../write/edit-line.ts";
import type { Checked, FileTail } from "./check-finding.ts";
import { type Desk, type LineChange, type Mend, openDesk } from "./repair-changes.ts";
import { mendParents, mendUuids } from "./repair-lines.ts";
import { mendResults, mendUses } from "./repair-tools.ts";

/** What a repair would change. Lines that are not in it keep their bytes. */
export interface RepairPlan {
  readonly mends: readonly Mend[];
  readonly changes: ReadonlyMap<Item, LineChange>;
  readonly tails: readonly FileTail[];
}

/** Contract: nothing is written; lines are read again from disk for their bytes. */
export function planRepair(session: Checked, uuid: () => string): RepairPlan {
  const desk = openDesk();
  for (const item of session.model.unreadable) {
    const change = desk.change(item);
    change.aside.push({ why: `bad-line, ${item.why}`, content: change.bytes });
    change.bytes = null;
    desk.say(item, "bad-line", `${item.length} bytes of line ${item.line} are set aside`);
  }
  for (const thread of session.threads) {
    takeApart(thread, desk);
    const uuidOf = mendUuids(thread, desk, uuid);
    const gone = mendResults(thread, desk, (id) => session.model.toolCall(id) !== undefined);
    mendParents(thread, desk, uuidOf, (entry) => gone.has(entry));
    mendUses(thread, desk, uuidOf, uuid);
    mendSessionId(thread, session.model.id, desk);
  }
  const tails = session.live ? [] : session.tails;
  return { mends: [...desk.mends, ...tails.map((tail) => tailMend(tail, session))], changes: desk.changes, tails };
}

/** Records that share a line with others, or with damage, get a line each. */
function takeApart({ entries }: Thread, desk: Desk): void {
  for (const entry of entries) {
    if (!entry.recovered) continue;
    desk.change(entry);
    desk.say(entry, "bad-line", `a record of line ${entry.line} gets a line of its own`);
  }
}

/** The other id stays in the line as that of an ancestor. */
function mendSessionId({ entries }: Thread, id: string, desk: Desk): void {
  const lines = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.sessionId === undefined || entry.sessionId === id) continue;
    lines.set(entry.sessionId, [...(lines.get(entry.sessionId) ?? []), entry]);
  }
  for (const [other, all] of lines) {
    for (const entry of all) {
      const change = desk.change(entry);
      if (change.bytes === null) continue;
      change.bytes = withField(change.bytes, "sessionId", id);
      if (entry.ancestorSessionId === undefined) change.bytes = withField(change.bytes, "session_id", other);
    }
    const [first] = all;
    if (first !== undefined)
      desk.say(first, "session-id-mixed", `${all.length} lines of session ${other} are named after this one`);
  }
}

function tailMend({ file, line, length, offset }: FileTail, { threads }: Checked): Mend {
  const isRecord = threads.some(({ entries }) =>
    entries.some((entry) => entry.file === file && entry.offset >= offset),
  );
  const what = isRecord ? "the last record gets its newline" : `the last ${length} bytes are set aside`;
  return { code: "torn-tail", file, line, message: what };
}
