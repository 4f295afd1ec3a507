import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openState, takeLock } from "../../files/internal.ts";
import { groupBy, Problem } from "../../protocol/internal.ts";
import { isTranscriptRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { Entry } from "../model/entry.ts";
import { type Cursor, openBytes } from "../read/byte-source.ts";
import { cutArchive } from "../read/gzip-source.ts";
import { recordSource, recordsOf } from "../read/json-records.ts";
import { readEntries } from "../read/read-entries.ts";
import { hitRanking, searchTexts, type TextKind } from "./search-hits.ts";
import { searchPattern } from "./search-pattern.ts";
import {
  checkSearch,
  filesToSearch,
  hitsOf,
  type SearchOptions,
  type SearchResult,
  searchSessions,
  withTurns,
} from "./search-sessions.ts";
import { openSqlite, removeLeftLock, sqliteDriver } from "./sqlite.ts";

const schema = 1;

/**
 * The same question answered from a table of words over prompts, answers and titles. The table is disposable: it is brought
 * up to date first, and every hit is read again from its file before it is given. Words match from their beginning.
 */
export async function searchIndex(query: string, options: SearchOptions = {}): Promise<SearchResult> {
  checkSearch(query, options);
  const folder = await openState([], options);
  const path = join(folder, `search-${schema}-${sqliteDriver()}.db`);
  // Not `<database>.lock`: that name belongs to the WebAssembly driver.
  const lock = await takeLock(join(folder, "search-index"), { waitMs: 1000 });
  // Another process is making the table, which can take a while: the transcripts themselves can be asked meanwhile.
  if (!lock.held) return searchSessions(query, options);
  try {
    removeLeftLock(path);
    const orElse = (next: () => Promise<SearchResult>) => async (error: unknown) => {
      if (options.signal?.aborted) throw error;
      // A table that cannot be removed fails again below, and then it is not needed.
      await rm(path, { force: true }).catch(() => undefined);
      return next();
    };
    // The transcripts still exist whatever is wrong with the table: it is rebuilt, once. Where that fails too, on a full disk
    // for one, the transcripts themselves are asked.
    return await answer(path, query, options)
      .catch(orElse(() => answer(path, query, options)))
      .catch(orElse(() => searchSessions(query, options)));
  } finally {
    await lock.release();
  }
}

async function answer(path: string, query: string, options: SearchOptions): Promise<SearchResult> {
  const index = await openIndex(path);
  try {
    return await ask(index, query, options, await update(index, options));
  } finally {
    index.database.close();
  }
}

/** The database with its statements, each prepared once. */
async function openIndex(path: string) {
  const database = await openSqlite(path);
  database.exec(`
    CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, dev REAL, ino REAL, offset REAL, head TEXT, lines REAL);
    CREATE TABLE IF NOT EXISTS places (id INTEGER PRIMARY KEY, file INTEGER, offset REAL, length REAL);
    CREATE INDEX IF NOT EXISTS places_of ON places (file);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', contentless_delete=1);
  `);
  return {
    database,
    allFiles: database.prepare("SELECT id, path FROM files"),
    fileAt: database.prepare("SELECT * FROM files WHERE path = ?"),
    addFile: database.prepare("INSERT INTO files (path, offset, head, lines, dev, ino) VALUES (?, 0, '', 0, 0, 0)"),
    saveCursor: database.prepare("UPDATE files SET dev = ?, ino = ?, offset = ?, head = ?, lines = ? WHERE id = ?"),
    addPlace: database.prepare("INSERT INTO places (file, offset, length) VALUES (?, ?, ?)"),
    lastId: database.prepare("SELECT last_insert_rowid() AS id"),
    addWords: database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)"),
    dropWords: database.prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM places WHERE file = ?)"),
    dropPlaces: database.prepare("DELETE FROM places WHERE file = ?"),
    dropFile: database.prepare("DELETE FROM files WHERE id = ?"),
    dropWordsFrom: database.prepare(
      "DELETE FROM words WHERE rowid IN (SELECT id FROM places WHERE file = ? AND offset >= ?)",
    ),
    dropPlacesFrom: database.prepare("DELETE FROM places WHERE file = ? AND offset >= ?"),
    find: database.prepare(`
      SELECT files.path, places.offset, places.length FROM words
      JOIN places ON places.id = words.rowid JOIN files ON files.id = places.file WHERE words MATCH ?`),
  };
}

type Index = Awaited<ReturnType<typeof openIndex>>;

type SearchedFiles = Pick<SearchResult, "files" | "bytes" | "unread">;

/** Indexes what was written since the last run, and drops files that were replaced or removed. */
async function update(index: Index, options: SearchOptions): Promise<SearchedFiles> {
  let files = 0;
  let bytes = 0;
  const unread: { file: string; why: string }[] = [];
  for await (const { file, sizeBytes } of filesToSearch({ ...options, agents: true })) {
    options.signal?.throwIfAborted();
    files++;
    bytes += sizeBytes;
    try {
      await indexFile(index, file, sizeBytes, options.signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      unread.push({ file, why: error.message });
    }
    options.progress?.({ files, bytes });
  }
  for (const row of index.allFiles.all()) {
    if (!existsSync(String(row["path"]))) index.database.transaction(() => dropFile(index, Number(row["id"])));
  }
  return { files, bytes, unread };
}

async function indexFile(
  index: Index,
  file: string,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const row = index.fileAt.get(file);
  const from = row === undefined ? undefined : cursorIn(row);
  if (from !== undefined && from.offset === sizeBytes) return;
  const reader = readEntries(file, { from, tail: "keep", signal });
  let id: number | undefined;
  for await (const batch of reader) {
    index.database.transaction(() => {
      id ??= begin(
        index,
        file,
        row === undefined ? undefined : Number(row["id"]),
        reader.reset ? 0 : (from?.offset ?? 0),
      );
      for (const item of batch) if (item.kind !== "unreadable") addEntry(index, id, item);
      // How far all earlier batches went: what lies beyond is thrown away should this be the last we do.
      saveCursor(index, id, reader.cursor);
    });
  }
  if (id !== undefined) saveCursor(index, id, reader.cursor);
  if (reader.isCut) throw cutArchive(file);
}

/** The file's number, with nothing in the table from `offset` on: a run that was killed may have left half a step there. */
function begin(index: Index, file: string, known: number | undefined, offset: number): number {
  if (known === undefined) {
    index.addFile.run(file);
    return Number(index.lastId.get()?.["id"]);
  }
  index.dropWordsFrom.run(known, offset);
  index.dropPlacesFrom.run(known, offset);
  return known;
}

function saveCursor(index: Index, id: number, { dev, ino, offset, head, lines }: Cursor): void {
  index.saveCursor.run(dev, ino, offset, head, lines, id);
}

function cursorIn(row: Readonly<Record<string, unknown>>): Cursor {
  const number = (name: string) => Number(row[name]);
  return {
    dev: number("dev"),
    ino: number("ino"),
    offset: number("offset"),
    head: String(row["head"]),
    lines: number("lines"),
  };
}

function dropFile(index: Index, id: number): void {
  index.dropWords.run(id);
  index.dropPlaces.run(id);
  index.dropFile.run(id);
}

function addEntry(index: Index, file: number, entry: Entry): void {
  const texts = searchTexts(entry).filter(({ kind }) => isIndexed(kind));
  if (texts.length === 0) return;
  index.addPlace.run(file, entry.offset, entry.length);
  index.addWords.run(index.lastId.get()?.["id"] ?? null, texts.map(({ text }) => text).join("\n"));
}

function isIndexed(kind: TextKind): boolean {
  return kind === "prompt" || kind === "answer" || kind === "title";
}

async function ask(index: Index, query: string, options: SearchOptions, looked: SearchedFiles): Promise<SearchResult> {
  const rank = hitRanking(options.limit ?? 50);
  const words = query.trim().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return { hits: [], total: 0, ...looked };
  const needle = searchPattern(query, options);
  const places = placesByFile(index, words);
  for await (const { place, file, agentId } of filesToSearch(options)) {
    for (const { offset, length } of places.get(file) ?? []) {
      const entry = await entryAt(file, offset, length);
      for (const hit of entry === undefined ? [] : hitsOf(entry, needle, options)) {
        if (!isIndexed(hit.kind)) continue;
        rank.add({ ...hit, session: place.id, place, ...(agentId === undefined ? {} : { agentId }) });
      }
    }
  }
  return { hits: await withTurns(rank.best()), total: rank.total, ...looked };
}

/** Every word is quoted: what looks like an operator is a word too. */
function placesByFile(
  index: Index,
  words: readonly string[],
): ReadonlyMap<string, { offset: number; length: number }[]> {
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(" ");
  const places = index.find.all(match).map(({ path, offset, length }) => ({
    file: String(path),
    offset: Number(offset),
    length: Number(length),
  }));
  return groupBy(places, ({ file }) => file);
}

/** The entry at this offset now; undefined when the file was changed meanwhile. */
async function entryAt(file: string, offset: number, length: number): Promise<Entry | undefined> {
  const source = await openBytes(file).catch(() => undefined);
  if (source === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(length);
    if ((await source.read(bytes, offset)) < length) return undefined;
    const line = { offset, length, end: offset + length, line: 0, bytes, terminated: false };
    const [record] = recordsOf(recordSource(file, source), line, isTranscriptRecord);
    return record?.kind === "record" ? toEntry(record) : undefined;
  } finally {
    await source.close();
  }
}
