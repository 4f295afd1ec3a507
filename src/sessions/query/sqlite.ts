import { closeSync, openSync, rmdirSync } from "node:fs";

/**
 * The one file that knows SQLite: `node:sqlite` where Node has it without a flag, else its WebAssembly build. The two
 * lock files in ways that do not see each other, so a database belongs to one driver: put `sqliteDriver()` in its name.
 */
export interface Sqlite {
  readonly driver: SqliteDriver;
  /** Runs one or more statements that give no rows. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Contract: all of it or nothing; an error in `work` rolls back and is thrown again. */
  transaction<T>(work: () => T): T;
  /** Ends open statements too. */
  close(): void;
}

export interface Statement {
  run(...values: readonly SqlValue[]): void;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): Row[];
}

export type SqliteDriver = "node" | "wasm";
export type SqlValue = string | number | bigint | Uint8Array | null;
export type Row = Readonly<Record<string, SqlValue>>;

export interface SqliteOptions {
  readonly driver?: SqliteDriver;
  readonly readOnly?: boolean;
}

/** The driver this machine uses. */
export function sqliteDriver(): SqliteDriver {
  return nodeSqlite() === undefined ? "wasm" : "node";
}

/** Opens a database file, made 0600 if it is missing. Throws what the driver throws when the file is damaged. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Sqlite> {
  const driver = options.driver ?? sqliteDriver();
  if (!options.readOnly) closeSync(openSync(path, "a", 0o600));
  const base = driver === "node" ? openNode(path, options) : await openWasm(path, options);
  try {
    if (!options.readOnly) base.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    base.close();
    throw error;
  }
  return {
    driver,
    ...base,
    transaction(work) {
      base.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        base.exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(base);
        throw error;
      }
    },
  };
}

/** After some errors, a full disk among them, SQLite has rolled back by itself and refuses to do it twice: the first error is reported. */
function rollBack(base: Base): void {
  try {
    base.exec("ROLLBACK");
  } catch {
    // The caller throws the error that led here.
  }
}

/**
 * Takes away the lock folder that the WebAssembly driver leaves behind when its process is killed, and which blocks every
 * later open. Contract: call it only while holding our own lock for this database, so that no living owner can exist. That
 * lock needs another name than `<database>.lock`, which is the folder's.
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
  readonly DatabaseSync: new (
    path: string,
    options: { readOnly: boolean },
  ) => {
    exec(sql: string): void;
    prepare(sql: string): {
      run(...values: readonly SqlValue[]): unknown;
      get(...values: readonly SqlValue[]): unknown;
      all(...values: readonly SqlValue[]): unknown;
    };
    close(): void;
  };
}

/** Loaded without its warning: that it is experimental is our concern, not the user's. */
function nodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openNode(path: string, { readOnly = false }: SqliteOptions): Base {
  const sqlite = nodeSqlite();
  if (sqlite === undefined) throw new Error("this version of Node has no node:sqlite");
  const database = new sqlite.DatabaseSync(path, { readOnly });
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run: (...values) => void statement.run(...values),
        get: (...values) => statement.get(...values) as Row | undefined,
        all: (...values) => statement.all(...values) as Row[],
      };
    },
    close: () => database.close(),
  };
}

async function openWasm(path: string, { readOnly = false }: SqliteOptions): Promise<Base> {
  const { default: wasm } = await import("node-sqlite3-wasm");
  const database = new wasm.Database(path, { readOnly });
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
    // The WebAssembly memory of a statement is freed by hand or never.
    close() {
      for (const statement of open) statement.finalize();
      database.close();
    },
  };
}
