import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { namingFile } from '../file-errors.ts';

/** Ends nothing where SQLite has ended the transaction by itself, as where the disk is full. */
const rollbackIfAny = (database: DatabaseSync): SqliteStatement => {
  const nothing = { changes: 0, lastInsertRowid: 0 };
  const statement = database.prepare('rollback');
  return { ...toKysely(statement), run: () => (database.isTransaction ? statement.run() : nothing) };
};

/**
 * Opens a SQLite file for Kysely's own dialect: WAL, every commit on the disk before it is answered,
 * statements kept by their SQL text, and every transaction `begin immediate` (a deferred one that reads
 * first and writes later fails with "database is locked" instead of waiting its turn).
 */
export function openSqlite(file: string): SqliteDatabase {
  const database = namingFile(file, () => open(file));
  const kept = new Map<string, SqliteStatement>();

  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = kept.get(sql);
      if (!statement) {
        statement =
          sql === 'rollback'
            ? rollbackIfAny(database)
            : toKysely(database.prepare(sql === 'begin' ? 'begin immediate' : sql));
        // Lists of ids make SQL texts without end: start again rather than grow.
        if (kept.size >= 500) kept.clear();
        kept.set(sql, statement);
      }
      return statement;
    },
  };
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma busy_timeout = 5000;
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma cache_size = -16000;
    pragma busy_timeout = 0;
  `);
  return database;
}

function toKysely(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toSqlite)),
    run: (parameters) => statement.run(...parameters.map(toSqlite)),
    iterate: (parameters) => statement.iterate(...parameters.map(toSqlite)),
  };
}

/** Values that Better Auth and the shop hand over, as the types that SQLite stores. */
function toSqlite(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite cannot store a ${typeof value}`);
}
