import { existsSync } from 'node:fs';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/connect.ts';
import { isUnavailable, toDatabaseError } from '../../database/errors.ts';
import { listApplied, listPending } from '../../database/migrate.ts';
import type { Engine, Schema } from '../../database/schema.ts';
import type { BackupTable } from './format.ts';
import { describeTables } from './introspection.ts';
import { listTables } from './tables.ts';

/** The shop at one moment: reads through `db` don't see later writes. */
export type Snapshot = { db: QueryExecutorProvider; migrations: string[]; tables: BackupTable[] };

/** Not Kysely's own transaction, which is `begin immediate` on SQLite and would block writers. */
const begin: Record<Engine, string> = {
  sqlite: 'begin deferred',
  postgres: 'begin isolation level repeatable read, read only',
};

/** Reads the configured shop, whether it is running or not. Throws `not_found` if there is none. */
export async function withSnapshot<T>(config: Config, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const place = config.database;
  // Opening a missing file would create it.
  if ('file' in place && !existsSync(place.file)) throw noShop();
  try {
    const { db, engine } = connect<Schema>(place);
    try {
      return await db.connection().execute(async (connection) => {
        await sql.raw(begin[engine]).execute(connection);
        try {
          return await work(await describeShop(connection, engine));
        } finally {
          // If the connection was lost, `work` has already thrown.
          await sql`rollback`.execute(connection).catch(() => undefined);
        }
      });
    } finally {
      await db.destroy();
    }
  } catch (error) {
    throw isDatabaseError(error) ? toDatabaseError(place, error) : error;
  }
}

async function describeShop(db: Kysely<Schema>, engine: Engine): Promise<Snapshot> {
  const found = await describeTables(db, engine);
  if (!found.has('migration')) throw noShop();
  // Throws for a newer release, which may have unknown tables.
  await listPending(db);
  const migrations = await listApplied(db);
  return { db, migrations, tables: listTables('user', 'system').flatMap((name) => found.get(name) ?? []) };
}

const noShop = () => new ShopError('not_found', 'There is no shop in DATA_DIR or DATABASE_URL to back up.');

/** An error from the database driver, rather than a bug. */
export function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ShopError) && ('code' in error || isUnavailable(error));
}
