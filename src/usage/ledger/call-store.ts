import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../protocol/internal.ts";
import { openSqlite, type Row, removeLeftLock, type Sqlite, sqliteDriver } from "../../sessions/internal.ts";
import type { ScanProgress } from "../scan/file-facts.ts";
import { rulesVersion, type StoredFile } from "./index-files.ts";

/** The calls of every transcript, so that a large file that has grown is not read again from its beginning. */
export interface CallStore {
  /** What happened to a database that could not be used. */
  readonly note: string | undefined;
  /** Contract: never throws; what cannot be read is undefined, and a damaged database is quarantined when it is closed. */
  fileAt(path: string): StoredFile | undefined;
  /** Keeps these, and forgets every file that is not `present`. Contract: all of it or nothing. */
  save(changed: readonly StoredFile[], present: ReadonlySet<string>): void;
  close(): void;
}

const schemaVersion = 2;

/** Name of the database: one for each layout and driver, as the drivers cannot share one. */
export function databaseName(): string {
  return `usage-${schemaVersion}-${sqliteDriver()}.db`;
}

/**
 * Opens the store in `folder`, making it if it is missing. One that is damaged or of other rules is quarantined (the last such
 * one is kept) and a new one is made. Contract: the caller holds our own lock for the folder.
 */
export async function openCallStore(folder: string): Promise<CallStore> {
  const path = join(folder, databaseName());
  removeLeftLock(path);
  try {
    return callStore(path, await openChecked(path), undefined);
  } catch (cause) {
    quarantineDatabase(path);
    return callStore(path, await openChecked(path), unusableIndexNote(cause));
  }
}

function unusableIndexNote(cause: unknown): string {
  const why = messageOf(cause);
  return `the index could not be used (${why}): it was discarded and is rebuilt`;
}

interface Opened {
  readonly database: Sqlite;
  readonly isEmpty: boolean;
}

async function openChecked(path: string): Promise<Opened> {
  const database = await openSqlite(path);
  try {
    database.exec(`
      CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS files (
        path TEXT PRIMARY KEY, dev REAL, ino REAL, size REAL, mtime REAL, offset REAL, head TEXT, tail TEXT,
        progress TEXT, calls BLOB, checksum TEXT);
    `);
    const rules = database.prepare("SELECT value FROM about WHERE name = 'rules'").get()?.["value"];
    if (rules === undefined) database.prepare("INSERT INTO about VALUES ('rules', ?)").run(String(rulesVersion));
    else if (rules !== String(rulesVersion)) throw new Error(`it was written by other rules (${String(rules)})`);
    // Finds damage now, not in the middle of a run.
    const { count } = database.prepare("SELECT count(*) AS count FROM files").get() ?? {};
    return { database, isEmpty: Number(count) === 0 };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The newest broken database is kept for analysis. */
function quarantineDatabase(path: string): void {
  rmSync(`${path}.broken`, { force: true });
  renameSync(path, `${path}.broken`);
  rmSync(`${path}-journal`, { force: true });
  rmSync(`${path}.lock`, { force: true, recursive: true });
}

/** Contract: an empty database is not queried for every file. */
function callStore(path: string, { database, isEmpty }: Opened, openNote: string | undefined): CallStore {
  const find = database.prepare("SELECT * FROM files WHERE path = ?");
  let note = openNote;
  let isDamaged = false;
  const damaged = (cause: unknown) => {
    isDamaged = true;
    note = unusableIndexNote(cause);
  };
  return {
    get note() {
      return note;
    },
    fileAt(file) {
      if (isDamaged || isEmpty) return undefined;
      try {
        const row = find.get(file);
        return row === undefined ? undefined : fileFrom(row);
      } catch (cause) {
        damaged(cause);
        return undefined;
      }
    },
    save(changed, present) {
      if (isDamaged) return;
      try {
        database.transaction(() => {
          put(database, changed);
          if (!isEmpty) drop(database, present);
        });
      } catch (cause) {
        damaged(cause);
      }
    },
    close() {
      database.close();
      if (isDamaged) quarantineDatabase(path);
    },
  };
}

function put(database: Sqlite, changed: readonly StoredFile[]): void {
  const row = database.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const { path, dev, ino, size, mtimeMs, head, tail, progress, calls } of changed) {
    const text = JSON.stringify(progress);
    const check = checksum(text, calls);
    row.run(path, dev, ino, size, mtimeMs, progress.offset, head, tail, text, calls, check);
  }
}

function drop(database: Sqlite, present: ReadonlySet<string>): void {
  const gone = database.prepare("DELETE FROM files WHERE path = ?");
  for (const { path } of database.prepare("SELECT path FROM files").all()) {
    if (typeof path === "string" && !present.has(path)) gone.run(path);
  }
}

/** Undefined when a byte of it is not what was written: the file is then read again. */
function fileFrom(row: Row): StoredFile | undefined {
  const { path, dev, ino, size, mtime, head, tail, progress, calls } = row;
  if (typeof progress !== "string" || !(calls instanceof Uint8Array)) return undefined;
  const bytes = Buffer.from(calls.buffer, calls.byteOffset, calls.byteLength);
  if (row["checksum"] !== checksum(progress, bytes)) return undefined;
  return {
    path: String(path),
    dev: Number(dev),
    ino: Number(ino),
    size: Number(size),
    mtimeMs: Number(mtime),
    head: String(head),
    tail: String(tail),
    progress: JSON.parse(progress) as ScanProgress,
    calls: bytes,
  };
}

function checksum(progress: string, calls: Buffer): string {
  return createHash("sha256").update(progress).update(calls).digest("hex");
}
