import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { isBroken, isLocked } from './errors.ts';
import { attachPath, withErrorPath } from './file-errors.ts';

/** Queries with lists of ids make the number of SQL texts unlimited. */
const maxCachedStatements = 500;

/**
 * Opens a SQLite file for Kysely's dialect: WAL, with every commit synced to disk. Prepared statements are cached by
 * their SQL, and every transaction is `begin immediate`: a deferred one that reads first and writes later fails with
 * "database is locked" instead of waiting.
 */
export function openSqlite(file: string): SqliteDatabase {
  const database = withErrorPath(file, () => open(file));
  const statements = new Map<string, SqliteStatement>();

  function run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // Only for errors about the file, so that other failures don't log its path.
      if (isBroken(error) || isLocked(error)) attachPath(error, file);
      if (isBroken(error)) dropCachedPages(database);
      throw error;
    }
  }

  function prepare(sql: string): SqliteStatement {
    const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql);
    const prepared: SqliteStatement = {
      reader: statement.columns().length > 0,
      all: (parameters) => run(() => statement.all(...parameters.map(toSqlite))),
      run: (parameters) => run(() => statement.run(...parameters.map(toSqlite))),
      iterate: (parameters) => statement.iterate(...parameters.map(toSqlite)),
    };
    return sql === 'rollback' ? rollbackIfOpen(database, prepared) : prepared;
  }

  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = run(() => prepare(sql));
        if (statements.size >= maxCachedStatements) statements.clear();
        statements.set(sql, statement);
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

/** After some errors, such as a full disk, SQLite has already rolled back. */
function rollbackIfOpen(database: DatabaseSync, statement: SqliteStatement): SqliteStatement {
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return {
    ...statement,
    run: (parameters) => (database.isTransaction ? statement.run(parameters) : nothing),
  };
}

/** Pages read from a failing disk must not be served once it has recovered. */
function dropCachedPages(database: DatabaseSync): void {
  try {
    database.exec('pragma shrink_memory');
  } catch {
    // The error that led here is the one to report.
  }
}

/** Converts what Better Auth and the shop pass as parameters into types that SQLite stores. */
function toSqlite(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite cannot store a ${typeof value}`);
}
