import { existsSync } from 'node:fs';
import { type QueryExecutorProvider, type QueryResult, sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/database.ts';
import { isUnavailable, toDatabaseError } from '../../database/errors.ts';
import { listApplied, listPending } from '../../database/migrate.ts';
import type { Engine, Schema } from '../../database/schema.ts';
import { type BackupCell, type BackupTable, getBatchSize, toCell } from './format.ts';
import { describeTables, listTables, toIdentifiers } from './tables.ts';

/** The shop at one moment: `readRows` doesn't see later writes. */
export type Snapshot = {
  migrations: string[];
  tables: BackupTable[];
  /** Yields all rows of a table in batches, ordered by primary key. */
  readRows: (table: BackupTable) => AsyncGenerator<BackupCell[][]>;
};

/** Kysely's own transaction is not used: on SQLite, it is `begin immediate`, which would block writers. */
const begin: Record<Engine, string> = {
  sqlite: 'begin deferred',
  postgres: 'begin isolation level repeatable read, read only',
};

/** Reads the configured shop, whether it is running or not. Throws `not_found` if there is none. */
export async function withSnapshot({ database: place }: Config, work: (snapshot: Snapshot) => Promise<void>) {
  const toShopError = (error: unknown) => (isDatabaseError(error) ? toDatabaseError(place, error) : error);
  // Opening a missing file would create it.
  if ('file' in place && !existsSync(place.file)) throw noShop();
  try {
    const { db, engine } = connect<Schema>(place);
    await using _ = db;
    return await db.connection().execute(async (connection) => {
      await sql.raw(begin[engine]).execute(connection);
      const found = await describeTables(connection, engine);
      if (!found.has('migration')) throw noShop();
      // Throws for a newer release, which may have unknown tables.
      await listPending(connection);
      const migrations = await listApplied(connection);
      const tables = listTables('user', 'system').flatMap((name) => found.get(name) ?? []);
      // If the connection was lost, `work` has already thrown.
      const end = () => sql`rollback`.execute(connection).catch(() => undefined);
      // Converts database errors here: `work` would report them as errors of its output file.
      async function* readRows(table: BackupTable) {
        try {
          yield* readTable(connection, table);
        } catch (error) {
          throw toShopError(error);
        }
      }
      return work({ migrations, tables, readRows }).finally(end);
    });
  } catch (error) {
    throw toShopError(error);
  }
}

const noShop = () => new ShopError('not_found', 'There is no shop in DATA_DIR or DATABASE_URL to back up.');

/** An error from the database driver, rather than a bug. */
export function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ShopError) && ('code' in error || isUnavailable(error));
}

async function* readTable(db: QueryExecutorProvider, table: BackupTable): AsyncGenerator<BackupCell[][]> {
  const columns = Object.keys(table.columns);
  const key = toIdentifiers(table.key);
  const size = getBatchSize(table);
  let after: unknown[] | undefined;
  do {
    const { rows }: QueryResult<Record<string, unknown>> = await sql<Record<string, unknown>>`
      select ${toIdentifiers(columns)} from ${sql.id(table.table)}
      ${after ? sql`where (${key}) > (${sql.join(after)})` : sql``}
      order by ${key} limit ${sql.lit(size)}`.execute(db);
    yield rows.map((row) => columns.map((name): BackupCell => toCell(row[name])));
    const last = rows.length === size ? rows.at(-1) : undefined;
    after = last && table.key.map((name) => last[name]);
  } while (after);
}
