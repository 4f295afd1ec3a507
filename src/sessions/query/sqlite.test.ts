import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqlite, removeLeftLock, type SqliteDriver, sqliteDriver } from "./sqlite.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-sqlite-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const drivers: SqliteDriver[] = sqliteDriver() === "node" ? ["node", "wasm"] : ["wasm"];

describe.each(drivers)("driver %s", (driver) => {
  test("an error after which SQLite rolls back by itself is thrown as it is", async () => {
    const database = await openSqlite(join(folder, "a.db"), driver);
    database.exec("CREATE TABLE t (a INTEGER UNIQUE)");
    const twice = () => {
      database.exec("INSERT INTO t VALUES (1)");
      database.exec("INSERT OR ROLLBACK INTO t VALUES (1)");
    };
    expect(() => database.transaction(twice)).toThrow("UNIQUE constraint failed");
    expect(database.prepare("SELECT count(*) AS n FROM t").get()?.["n"]).toBe(0);
    database.close();
  });

  test("rows go in and come out the same, blobs and large integers included", async () => {
    const path = join(folder, "a.db");
    const database = await openSqlite(path, driver);
    database.exec("CREATE TABLE t (a TEXT, b INTEGER, c BLOB, d REAL)");
    const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
    insert.run("ä'\n", 2 ** 40, new Uint8Array([0, 1, 255]), 0.5);
    insert.run("", 0, new Uint8Array([]), null);
    database.close();
    const again = await openSqlite(path, driver);
    const rows = again.prepare("SELECT * FROM t ORDER BY b DESC").all();
    expect(rows.map((row) => ({ ...row, c: [...(row["c"] as Uint8Array)] }))).toEqual([
      { a: "ä'\n", b: 2 ** 40, c: [0, 1, 255], d: 0.5 },
      { a: "", b: 0, c: [], d: null },
    ]);
    expect(again.prepare("SELECT a FROM t WHERE b = ?").get(1)).toBeUndefined();
    again.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("a transaction is all or nothing", async () => {
    const database = await openSqlite(join(folder, "a.db"), driver);
    database.exec("CREATE TABLE t (a INTEGER)");
    const insert = database.prepare("INSERT INTO t VALUES (?)");
    expect(() =>
      database.transaction(() => {
        insert.run(1);
        throw new Error("stop");
      }),
    ).toThrow("stop");
    database.transaction(() => insert.run(2));
    expect(database.prepare("SELECT a FROM t").all()).toEqual([{ a: 2 }]);
    database.close();
  });

  test("full-text search works", async () => {
    const database = await openSqlite(join(folder, "a.db"), driver);
    database.exec("CREATE VIRTUAL TABLE t USING fts5(body)");
    database.prepare("INSERT INTO t VALUES (?)").run("the quick brown fox");
    expect(database.prepare("SELECT body FROM t WHERE t MATCH ?").all('"quick brown"')).toEqual([
      { body: "the quick brown fox" },
    ]);
    database.close();
  });

  test("a file that is not a database throws when it is used", async () => {
    const path = join(folder, "a.db");
    writeFileSync(path, "not a database, but long enough to be looked at as one. ".repeat(20));
    chmodSync(path, 0o600);
    await expect(
      (async () => {
        const database = await openSqlite(path, driver);
        try {
          database.prepare("SELECT * FROM sqlite_master").all();
        } finally {
          database.close();
        }
      })(),
    ).rejects.toThrow(/not a database/);
  });
});

test("a lock folder left by a killed process blocks the WebAssembly driver until it is removed", async () => {
  const path = join(folder, "a.db");
  const first = await openSqlite(path, "wasm");
  first.exec("CREATE TABLE t (a INTEGER)");
  first.close();
  mkdirSync(`${path}.lock`);
  await expect(openSqlite(path, "wasm")).rejects.toThrow(/locked/);
  mkdirSync(`${path}.lock`, { recursive: true });
  expect(removeLeftLock(path)).toBe(true);
  expect(removeLeftLock(path)).toBe(false);
  expect(existsSync(`${path}.lock`)).toBe(false);
  const free = await openSqlite(path, "wasm");
  expect(free.prepare("SELECT * FROM t").all()).toEqual([]);
  free.close();
});
