import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { closeAfter, openState, takeLock } from "../../files/internal.ts";
import { defined, groupBy } from "../../protocol/internal.ts";
import type { Entry } from "../model/entry.ts";
import { type Cursor, openBytes } from "../read/byte-source.ts";
import { cutArchive } from "../read/gzip-source.ts";
import { recordSource } from "../read/json-records.ts";
import { itemsIn, readEntries } from "../read/read-entries.ts";
import { hitRanking, searchTexts, type TextKind } from "./search-hits.ts";
import { searchPattern } from "./search-pattern.ts";
import {
  checkSearch,
  eachFile,
  filesToSearch,
  hitsOf,
  type SearchedFiles,
  type SearchOptions,
  type SearchResult,
  searchSessions,
  withTurns,
} from "./search-sessions.ts";
import { openSqlite, removeLeftLock, sqliteDriver } from "./sqlite.ts";

/** Part of the file name: raise it when the tables change. */
const schema = 2;

/**
 * Searches prompts, answers and titles by an index of words, which it updates first. Every hit is read again from its file. Words match
 * from their beginning. The index can be deleted at any time.
 */
export async function searchIndex(query: string, options: SearchOptions = {}): Promise<SearchResult> {
  checkSearch(query, options);
  const folder = await openState([], options);
  const path = join(folder, `search-${schema}-${sqliteDriver()}.db`);
  // Not `<database>.lock`: the WebAssembly driver uses that name.
  const lock = await takeLock(join(folder, "search-index"), { waitMs: 1000 });
  // Another process is updating the index, which can take long. Meanwhile the transcripts are searched without it.
  if (!lock.held) return searchSessions(query, options);
  try {
    removeLeftLock(path);
    const removeIndexAnd = (retry: () => Promise<SearchResult>) => async (error: unknown) => {
      if (options.signal?.aborted) throw error;
      // If it cannot be removed, the next attempt fails too, and the last one does not use it.
      await rm(path, { force: true }).catch(() => undefined);
      return retry();
    };
    // A damaged index is rebuilt once. If that fails too, as on a full disk, the transcripts are searched without it.
    return await searchWithIndex(path, query, options)
      .catch(removeIndexAnd(() => searchWithIndex(path, query, options)))
      .catch(removeIndexAnd(() => searchSessions(query, options)));
  } finally {
    await lock.release();
  }
}

async function searchWithIndex(path: string, query: string, options: SearchOptions): Promise<SearchResult> {
  const index = await openIndex(path);
  try {
    const searched = await update(index, options);
    return { ...(await findHits(index, query, options)), ...searched };
  } finally {
    index.database.close();
  }
}

/** The database with its prepared statements. */
async function openIndex(path: string) {
  const database = await openSqlite(path);
  database.exec(`
    CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, cursor TEXT);
    CREATE TABLE IF NOT EXISTS places (id INTEGER PRIMARY KEY, file INTEGER, offset REAL, length REAL);
    CREATE INDEX IF NOT EXISTS places_of ON places (file);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', contentless_delete=1);
  `);
  return {
    database,
    allFiles: database.prepare("SELECT id, path FROM files"),
    fileAt: database.prepare("SELECT * FROM files WHERE path = ?"),
    addFile: database.prepare("INSERT INTO files (path) VALUES (?)"),
    saveCursor: database.prepare("UPDATE files SET cursor = ? WHERE id = ?"),
    addPlace: database.prepare("INSERT INTO places (file, offset, length) VALUES (?, ?, ?)"),
    lastId: database.prepare("SELECT last_insert_rowid() AS id"),
    addWords: database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)"),
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

type FoundHits = Omit<SearchResult, keyof SearchedFiles>;

/** Indexes lines that were written since the last run, and drops files that were replaced or removed. */
async function update(index: Index, options: SearchOptions): Promise<SearchedFiles> {
  const searched = await eachFile({ ...options, agents: true }, ({ file, sizeBytes }) =>
    indexFile(index, file, sizeBytes, options.signal),
  );
  for (const row of index.allFiles.all()) {
    if (!existsSync(String(row["path"]))) index.database.transaction(() => dropFile(index, Number(row["id"])));
  }
  return searched;
}

async function indexFile(index: Index, file: string, sizeBytes: number, signal?: AbortSignal): Promise<void> {
  const row = index.fileAt.get(file);
  const from = row && (JSON.parse(String(row["cursor"])) as Cursor);
  if (from?.offset === sizeBytes) return;
  const reader = readEntries(file, { from, tail: "keep", signal });
  let id: number | undefined;
  let isFirst = true;
  for await (const batch of reader) {
    index.database.transaction(() => {
      id ??= row === undefined ? addFile(index, file) : Number(row["id"]);
      if (isFirst) dropEntriesFrom(index, id, reader.lines.reset ? 0 : (from?.offset ?? 0));
      isFirst = false;
      for (const item of batch) if (item.kind !== "unreadable") addEntry(index, id, item);
      // The cursor is at the end of the batch before: a run that ends here indexes this batch again.
      index.saveCursor.run(JSON.stringify(reader.lines.cursor), id);
    });
  }
  if (id !== undefined) index.saveCursor.run(JSON.stringify(reader.lines.cursor), id);
  if (reader.lines.isCut) throw cutArchive(file);
}

function addFile(index: Index, file: string): number {
  index.addFile.run(file);
  return Number(index.lastId.get()?.["id"]);
}

/** A run that was killed may have indexed entries after its cursor. */
function dropEntriesFrom(index: Index, id: number, offset: number): void {
  index.dropWordsFrom.run(id, offset);
  index.dropPlacesFrom.run(id, offset);
}

function dropFile(index: Index, id: number): void {
  dropEntriesFrom(index, id, 0);
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

async function findHits(index: Index, query: string, options: SearchOptions): Promise<FoundHits> {
  const rank = hitRanking(options.limit ?? 50);
  const words = query.trim().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return { hits: [], total: 0 };
  const pattern = searchPattern(query, options);
  const places = placesByFile(index, words);
  for await (const { place, file, agentId } of filesToSearch(options)) {
    for (const { offset, length } of places.get(file) ?? []) {
      const entry = await entryAt(file, offset, length);
      for (const hit of entry === undefined ? [] : hitsOf(entry, pattern, options)) {
        if (!isIndexed(hit.kind)) continue;
        rank.add({ ...hit, session: place.id, place, ...defined({ agentId }) });
      }
    }
  }
  return { hits: await withTurns(rank.best()), total: rank.total };
}

/** Every word is quoted, so that operators are words too. */
function placesByFile(index: Index, words: readonly string[]) {
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(" ");
  const places = index.find.all(match).map(({ path, offset, length }) => ({
    file: String(path),
    offset: Number(offset),
    length: Number(length),
  }));
  return groupBy(places, ({ file }) => file);
}

/** Reads the entry at this offset; undefined when the file was changed meanwhile. */
async function entryAt(file: string, offset: number, length: number): Promise<Entry | undefined> {
  const source = await openBytes(file).catch(() => undefined);
  if (source === undefined) return undefined;
  return closeAfter(source, async () => {
    const bytes = Buffer.alloc(length);
    if ((await source.read(bytes, offset)) < length) return undefined;
    const [item] = itemsIn(recordSource(file, source), { offset, length, line: 0, bytes, terminated: false });
    return item?.kind === "unreadable" ? undefined : item;
  });
}
