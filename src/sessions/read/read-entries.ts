import { Problem } from "../../protocol/internal.ts";
import { isRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { Entry, Item } from "../model/entry.ts";
import { cutOff, type JsonRecord, recordsOf, type SourceFile, sourceFile } from "./json-records.ts";
import { type Cursor, type LineOptions, readLines, type Tail } from "./read-lines.ts";

/** A transcript as batches of entries and unreadable stretches, in file order. Reading never stops at damage. */
export interface EntryReader extends AsyncIterable<readonly Item[]> {
  readonly file: string;
  readonly cursor: Cursor;
  readonly tail: Tail | undefined;
  readonly reset: boolean;
  /** The file is an archive that ends in the middle; known once all items were handed out, the last of which says so. */
  readonly isCut: boolean;
}

export interface EntryOptions extends LineOptions {
  /** How the lines are spelled; Claude Code's way unless told. */
  readonly format?: Format | undefined;
}

/** By default a last line without newline is given, marked `unterminated`, if it is a whole record. */
export function readEntries(file: string, { format = claudeCode, ...options }: EntryOptions = {}): EntryReader {
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
      let source: SourceFile | undefined;
      for await (const batch of lines) {
        source ??= sourceFile(file, lines.cursor);
        const items: Item[] = [];
        for (const line of batch) {
          for (const record of recordsOf(source, line, format.isRecord)) {
            items.push(record.kind === "unreadable" ? record : format.toEntry(record));
          }
        }
        if (items.length > 0) yield items;
      }
      if (lines.isCut) yield [cutOff(source ?? sourceFile(file, lines.cursor), lines)];
    },
  };
}

/** Things that are done with transcripts of some agents and not of others. */
export type Ability = "validate" | "repair" | "fork" | "append" | "migrate" | "archive";

/**
 * How one agent spells its transcripts. Everything that knows a spelling is in that agent's folder; whatever works on entries
 * works for every format.
 */
export interface Format {
  readonly name: string;
  /** Tells a whole record from an object nested inside one. */
  readonly isRecord: (object: Readonly<Record<string, unknown>>) => boolean;
  /** Contract: never throws and drops nothing. */
  readonly toEntry: (record: JsonRecord) => Entry;
  readonly abilities: ReadonlySet<Ability>;
}

export const claudeCode: Format = {
  name: "claude-code",
  isRecord,
  toEntry,
  abilities: new Set<Ability>(["validate", "repair", "fork", "append", "migrate", "archive"]),
};

/** Throws `sessions/unsupported` when a format does not have it. */
export function needAbility(format: Format, ability: Ability): void {
  if (format.abilities.has(ability)) return;
  const can = [...format.abilities].join(", ") || "nothing but reading";
  throw new Problem(
    "sessions/unsupported",
    `transcripts of ${format.name} do not support ${ability}; they support ${can}.`,
    {
      about: { format: format.name, ability },
    },
  );
}
