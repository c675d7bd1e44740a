import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type { Config } from '../config.ts';
import { connect, type Engine } from '../database/connect.ts';
import { explain } from '../database/database.ts';
import { listApplied, listPending } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { isAway } from '../database/trouble.ts';
import { ShopError } from '../errors.ts';
import { nameFile } from '../file-errors.ts';
import { describeTables, type Table } from './introspection.ts';
import { listTables, standIns } from './tables.ts';

/** The shop as it is at one moment: what is read through `db` stays so, whoever writes meanwhile. */
export type Snapshot = { db: QueryExecutorProvider; migrations: string[]; tables: Table[] };

/**
 * In WAL, who reads keeps nobody from writing; Kysely's own transaction is an immediate one here, which would.
 * On PostgreSQL all statements see what the first of them sees.
 */
const begin: Record<Engine, string> = {
  sqlite: 'begin deferred',
  postgres: 'begin isolation level repeatable read, read only',
};

/** Reads the shop of these settings, whether it serves or not; throws a sentence where there is none. */
export async function withSnapshot<T>(config: Config, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const place = config.database;
  // To open a file that is not there would make one.
  if ('file' in place && !existsSync(place.file)) throw noShop();
  try {
    const { db, engine } = connect<Schema>(place);
    try {
      return await db.connection().execute(async (connection) => {
        const standInFile = findStandIns(config);
        // An empty one where they have none: attached, a file that is not there would be made.
        if (engine === 'sqlite')
          await attachStandIns(connection, existsSync(standInFile) ? standInFile : ':memory:');
        await sql.raw(begin[engine]).execute(connection);
        try {
          return await work(await look(connection, engine));
        } finally {
          // Where the connection was lost there is nothing to end, and why it was lost is what counts.
          await sql`rollback`.execute(connection).catch(() => undefined);
        }
      });
    } finally {
      await db.destroy();
    }
  } catch (error) {
    throw isOfDatabase(error) ? explain(place, error) : error;
  }
}

/** The stand-ins' own file, where the shop is on SQLite. */
export const findStandIns = ({ dataDir }: Config) => join(dataDir, `${standIns}.db`);

/** Makes of their file a schema of that name, which they have on PostgreSQL. */
export async function attachStandIns(db: QueryExecutorProvider, file: string): Promise<void> {
  try {
    await sql`attach ${file} as ${sql.id(standIns)}`.execute(db);
  } catch (error) {
    throw nameFile(error, file);
  }
}

async function look(db: Kysely<Schema>, engine: Engine): Promise<Snapshot> {
  const found = await describeTables(db, engine);
  if (!found.has('migration')) throw noShop();
  // A newer release may have tables that are not on our list.
  await listPending(db);
  const migrations = await listApplied(db);
  const tables = listTables('people', 'shop').flatMap((name) => found.get(name) ?? []);
  // After the shop's: of a payment of these moments the provider may know more than the shop, never less.
  const others = await describeTables(db, engine, standIns);
  return { db, migrations, tables: [...tables, ...others.values()] };
}

const noShop = () =>
  new ShopError('not_found', 'There is no shop in DATA_DIR or DATABASE_URL to make a backup of.');

/** An error of a driver's, for which there is a sentence; others are mistakes of ours. */
export function isOfDatabase(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ShopError) && ('code' in error || isAway(error));
}
