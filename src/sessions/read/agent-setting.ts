import { isRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import { recordsOf } from "./json-records.ts";
import { lastLineWith } from "./last-line-with.ts";
import { linesBackwards } from "./read-reverse.ts";

/** A whole JSON string: inside another one its quotes would have backslashes. */
const mark = Buffer.from('"agent-setting"');

/** The agent that a session was started as, by the last line that says so; undefined for one that has no such line. */
export async function agentSettingIn(file: string): Promise<string | undefined> {
  // Most sessions have none, and looking for it in lines costs more.
  if ((await lastLineWith(mark, file)) === undefined) return undefined;
  for await (const line of linesBackwards(file)) {
    if (line.bytes?.includes(mark) !== true) continue;
    for (const record of recordsOf(line.source, line, isRecord).toReversed()) {
      const entry = record.kind === "unreadable" ? undefined : toEntry(record);
      if (entry?.kind === "agent-setting" && entry.agentSetting !== undefined) return entry.agentSetting;
    }
  }
  return undefined;
}
