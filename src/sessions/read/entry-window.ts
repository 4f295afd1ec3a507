import { Problem } from "../../protocol/index.ts";
import type { Item } from "../model/entry.ts";
import { recordsOf, type SourceFile, sourceFile } from "./json-records.ts";
import type { OffsetTable } from "./line-offsets.ts";
import { readLines } from "./read-lines.ts";
import { readBackwards } from "./read-reverse.ts";
import { claudeCode } from "./transcript-format.ts";

/** Which lines: from one on (by number or uuid), around one, or the last ones. */
export type WindowWish = (
  | { readonly from: number | string }
  | { readonly around: string }
  | { readonly last: number }
) & { readonly limit?: number };

const usual = 100;

/** Reads only the lines that were asked for. The table is made on first need and handed on to the next window. */
export async function readWindow(
  file: string,
  wish: WindowWish,
  table: () => Promise<OffsetTable>,
  signal?: AbortSignal,
): Promise<Item[]> {
  const limit = Math.max(0, Math.floor(wish.limit ?? ("last" in wish ? wish.last : usual)));
  if ("last" in wish) return lastItems(file, Math.min(limit, Math.max(0, Math.floor(wish.last))), table, signal);
  const offsets = await table();
  if ("around" in wish) {
    const line = await lineOf(file, wish.around, offsets, signal);
    return itemsFrom(file, Math.max(1, line - Math.floor(limit / 2)), limit, offsets, signal);
  }
  const line = typeof wish.from === "number" ? wish.from : await lineOf(file, wish.from, offsets, signal);
  return itemsFrom(file, Math.max(1, line), limit, offsets, signal);
}

async function lastItems(
  file: string,
  count: number,
  table: () => Promise<OffsetTable>,
  signal: AbortSignal | undefined,
): Promise<Item[]> {
  if (count === 0) return [];
  if (file.endsWith(".gz")) {
    const offsets = await table();
    return (
      await itemsFrom(file, Math.max(1, offsets.lines - count - 255), Number.MAX_SAFE_INTEGER, offsets, signal)
    ).slice(-count);
  }
  const items: Item[] = [];
  for await (const item of readBackwards(file, signal)) {
    items.push(item);
    if (items.length === count) break;
  }
  return items.reverse();
}

async function itemsFrom(
  file: string,
  line: number,
  limit: number,
  offsets: OffsetTable,
  signal?: AbortSignal,
): Promise<Item[]> {
  const items: Item[] = [];
  if (limit === 0) return items;
  const reader = readLines(file, { at: offsets.before(line), tail: "give", signal, chunkBytes: 128 * 1024 });
  let source: SourceFile | undefined;
  for await (const batch of reader) {
    source ??= sourceFile(file, reader.cursor);
    for (const one of batch) {
      if (one.line < line) continue;
      for (const record of recordsOf(source, one, claudeCode.isRecord)) {
        items.push(record.kind === "unreadable" ? record : claudeCode.toEntry(record));
      }
      if (items.length >= limit) return items.slice(0, limit);
    }
  }
  return items;
}

async function lineOf(file: string, uuid: string, offsets: OffsetTable, signal?: AbortSignal): Promise<number> {
  for (const line of offsets.linesWith(uuid)) {
    const [item] = await itemsFrom(file, line, 1, offsets, signal);
    if (item !== undefined && item.kind !== "unreadable" && item.uuid === uuid) return line;
  }
  throw new Problem("sessions/no-entry", `${file} has no entry ${uuid}.`, { about: { file, uuid } });
}
