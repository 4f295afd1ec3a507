import { isTranscriptRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { TranscriptItem } from "../model/entry.ts";
import { cutArchiveItem, type RecordSource, recordSource, recordsOf } from "./json-records.ts";
import { type LineOptions, type LineReader, readLines } from "./read-lines.ts";

/** Batches of entries and unreadable stretches, in file order. Reading continues after damage. */
export interface EntryReader
  extends Pick<LineReader, "file" | "cursor" | "tail" | "reset" | "isCut">,
    AsyncIterable<readonly TranscriptItem[]> {}

/** By default a last line without a newline is included if it is a complete record; it is marked `unterminated`. */
export function readEntries(file: string, options: LineOptions = {}): EntryReader {
  const lines = readLines(file, { tail: "give", ...options });
  return {
    file,
    get cursor() {
      return lines.cursor;
    },
    get tail() {
      return lines.tail;
    },
    get reset() {
      return lines.reset;
    },
    get isCut() {
      return lines.isCut;
    },
    async *[Symbol.asyncIterator]() {
      let source: RecordSource | undefined;
      for await (const batch of lines) {
        source ??= recordSource(file, lines.cursor);
        const items: TranscriptItem[] = [];
        for (const line of batch) {
          for (const record of recordsOf(source, line, isTranscriptRecord)) {
            items.push(record.kind === "unreadable" ? record : toEntry(record));
          }
        }
        if (items.length > 0) yield items;
      }
      if (lines.isCut) yield [cutArchiveItem(source ?? recordSource(file, lines.cursor), lines)];
    },
  };
}
