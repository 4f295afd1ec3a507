import { closeSync, openSync, rmdirSync } from "node:fs";
import { attempt } from "../../protocol/internal.ts";

/**
 * A SQLite database, by `node:sqlite` where Node has it without a flag, else by a WebAssembly build. The two drivers ignore each other's
 * locks, so a database must be used by one of them only: put `sqliteDriver()` in its file name.
 */
interface Sqlite {
  /** Runs one or more statements without results. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Contract: all of it or nothing; an error in `work` rolls back and is thrown again. */
  transaction<T>(work: () => T): T;
  /** Also finalizes open statements. */
  close(): void;
}

interface Statement {
  run(...values: readonly SqlValue[]): void;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): Row[];
}

export type SqliteDriver = "node" | "wasm";
type SqlValue = string | number | bigint | Uint8Array | null;
type Row = Readonly<Record<string, SqlValue>>;

/** The driver this machine uses. */
export function sqliteDriver(): SqliteDriver {
  return nodeSqlite() === undefined ? "wasm" : "node";
}

/** Opens a database file; creates it with mode 0600. Throws the error of the driver when the file is damaged. */
export async function openSqlite(path: string, driver: SqliteDriver = sqliteDriver()): Promise<Sqlite> {
  closeSync(openSync(path, "a", 0o600));
  const base = driver === "node" ? openNode(path) : await openWasm(path);
  try {
    base.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    base.close();
    throw error;
  }
  return {
    ...base,
    transaction(work) {
      base.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        base.exec("COMMIT");
        return result;
      } catch (error) {
        // After some errors, such as a full disk, SQLite has already rolled back, and a second rollback fails.
        attempt(() => base.exec("ROLLBACK"));
        throw error;
      }
    },
  };
}

/**
 * Removes the lock folder `<database>.lock` that the WebAssembly driver leaves behind when its process is killed, and that blocks every
 * later open. Contract: the caller holds its own lock for this database, under another name, so no other process uses it.
 */
export function removeLeftLock(path: string): boolean {
  try {
    rmdirSync(`${path}.lock`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

type Base = Pick<Sqlite, "exec" | "prepare" | "close">;

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => Base;
}

/** Loads it without the warning that it is experimental. */
function nodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openNode(path: string): Base {
  const sqlite = nodeSqlite();
  if (sqlite === undefined) throw new Error("this version of Node has no node:sqlite");
  const database = new sqlite.DatabaseSync(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
  };
}

async function openWasm(path: string): Promise<Base> {
  const { default: wasm } = await import("node-sqlite3-wasm");
  const database = new wasm.Database(path);
  const open = new Set<{ finalize(): void }>();
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      open.add(statement);
      return {
        run: (...values) => void statement.run([...values]),
        get: (...values) => (statement.get([...values]) ?? undefined) as Row | undefined,
        all: (...values) => statement.all([...values]) as Row[],
      };
    },
    // Statements use WebAssembly memory, which is not garbage-collected.
    close() {
      for (const statement of open) statement.finalize();
      database.close();
    },
  };
}
