import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type { Retry } from './database.ts';
import { attachPath, isBroken, isLocked, toDatabaseError } from './errors.ts';
import {
  listDeletions,
  listSearchWords,
  listSuffixes,
  toCategoryKey,
  toIndexText,
  toNameKey,
  toPhoneKey,
} from './search-text.ts';

/** Queries with lists of ids make the number of SQL texts unlimited. */
const maxCachedStatements = 500;

/** Opens a SQLite file for Kysely's dialect: WAL, with every commit synced to disk. Throws `bad_setting` with one sentence. */
export function openSqlite(file: string): SqliteDatabase {
  const database = open(file);
  const statements = new Map<string, SqliteStatement>();

  function run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // Attach the path only to errors about the file, so that other failures don't log it.
      if (isBroken(error) || isLocked(error)) attachPath(error, file);
      if (isBroken(error)) dropCachedPages(database);
      throw error;
    }
  }

  function prepare(sql: string): SqliteStatement {
    // A deferred transaction that reads first and writes later fails with "database is locked" instead of waiting.
    const statement = database.prepare(sql === 'begin' ? 'begin immediate' : castLimits(sql));
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => run(() => statement.all(...parameters.map(toSqlite))),
      run: (parameters) => run(() => statement.run(...parameters.map(toSqlite))),
      iterate: (parameters) => statement.iterate(...parameters.map(toSqlite)),
    };
  }

  return {
    close: () => database.close(),
    prepare(requested) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      const sql = requested === 'rollback' && !database.isTransaction ? 'select 1' : requested;
      if (statements.size > maxCachedStatements) statements.clear();
      return statements.getOrInsertComputed(sql, () => run(() => prepare(sql)));
    },
  };
}

/**
 * If the limit is a bare parameter, SQLite plans the statement for its value, so it compiles the statement again for each
 * execution. That takes longer than reading a page of a list. A cast prevents this.
 */
const castLimits = (sql: string): string => sql.replaceAll(/\blimit \?/g, 'limit cast(? as integer)');

function open(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: 5000 });
    database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma cache_size = -16000;
      pragma busy_timeout = 0;
    `);
    registerSearchFunctions(database);
    return database;
  } catch (error) {
    throw toDatabaseError({ file }, attachPath(error, file));
  }
}

/** Registers the functions that the search's triggers call. They return lists as JSON. */
export function registerSearchFunctions(database: DatabaseSync): void {
  const register = (name: string, compute: (text: string) => string) =>
    database.function(name, { deterministic: true }, (text) => compute(String(text)));
  register('index_text', toIndexText);
  register('phone_key', toPhoneKey);
  register('to_name_key', toNameKey);
  register('to_category_key', toCategoryKey);
  register('search_words', (text) => JSON.stringify(listSearchWords(text)));
  register('search_suffixes', (word) => JSON.stringify(listSuffixes(word)));
  register('search_deletions', (word) => JSON.stringify(listDeletions(word)));
}

/** Pages read from a failing disk must not be served once it has recovered. */
function dropCachedPages(database: DatabaseSync): void {
  try {
    database.exec('pragma shrink_memory');
  } catch {
    // The error that led here is the one to report.
  }
}

function toSqlite(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  // Node would read another object as named parameters.
  throw new TypeError(`SQLite cannot store a ${typeof value}`);
}

const busyTimeoutMs = 5000;
const busyPollMs = 10;
const failFastMs = 1000;

/**
 * Waits while another process writes to the file; SQLite's own busy timeout would block this process. Fails after 5 s. For the
 * next second, or until a write succeeds, other queries fail immediately, because otherwise each would wait 5 s in turn.
 */
export function createBusyTimeout(): Retry {
  let gaveUpAt = Number.NEGATIVE_INFINITY;
  return async (_query, run) => {
    const began = performance.now();
    for (;;) {
      try {
        const result = await run();
        // A read succeeds even while another process writes, so its success proves nothing. A read has no affected rows.
        if (result.numAffectedRows !== undefined) gaveUpAt = Number.NEGATIVE_INFINITY;
        return result;
      } catch (error) {
        if (!isLocked(error)) throw error;
        const now = performance.now();
        if (now - began > busyTimeoutMs || now - gaveUpAt < failFastMs) {
          gaveUpAt = now;
          throw error;
        }
      }
      await setTimeout(busyPollMs);
    }
  };
}
