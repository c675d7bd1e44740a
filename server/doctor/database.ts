import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { connect } from '../database/connect.ts';
import { type Database, type Db, explain } from '../database/database.ts';
import { listPending } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { ShopError } from '../errors.ts';
import { examinePostgres } from './postgres.ts';
import type { Report } from './report.ts';

/** The database as it stands; nothing in it is changed. `look` is what else there is to see, once it is up to date. */
export async function examineDatabase(
  config: Config,
  report: Report,
  look: (database: Database) => Promise<void>,
): Promise<void> {
  const place = config.database;
  // To open a file that is not there would make it.
  if ('file' in place && !existsSync(place.file)) {
    return report.ok('Database: SQLite; the first start makes it.');
  }
  try {
    const { db, engine } = connect<Schema>(place);
    const transaction: Database['transaction'] = (work) => db.transaction().execute(work);
    try {
      if (engine === 'postgres') await examinePostgres(config, db, report);
      else report.ok('Database: SQLite, for one process.');
      if (await examineSteps(config, db, report)) await look({ db, engine, transaction, close: db.destroy });
    } finally {
      await db.destroy();
    }
  } catch (error) {
    report.wrong(
      explain(place, error).message,
      'file' in place
        ? 'Run this command as the user that runs the shop; where the file itself is damaged, restore a backup into an empty DATA_DIR.'
        : 'See that the server runs, that this machine may reach it, and that name, password and database in DATABASE_URL are right.',
    );
  }
  examineSecret(config, report);
}

/** Whether it is of this code's version, and so can be read by it. */
async function examineSteps(config: Config, db: Db, report: Report): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'migration')) {
    report.ok('Database: it is empty; the first start fills it.');
    return false;
  }
  try {
    const pending = await listPending(db);
    await examineMode(config, db, report);
    if (pending.length === 0) {
      report.ok('Database: it is of this version.');
      return true;
    }
    const names = pending.map(({ name }) => name).join(', ');
    report.look(
      `Database: it is of an earlier version; the next start brings it forward (${names}).`,
      'Make a backup before that start: there is no way back.',
    );
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    report.wrong(error.message, 'An older release does not run on it; a backup from before it does.');
  }
  return false;
}

async function examineMode({ services }: Config, db: Db, report: Report): Promise<void> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'mode').executeTakeFirst();
  const mode = services ? 'live' : 'sandbox';
  if (row && row.value !== mode)
    report.wrong(
      `Database: it was made ${row.value === 'live' ? 'for a live shop' : 'in the sandbox'}, but the settings are ${mode === 'live' ? 'live' : 'the sandbox’s'}.`,
      'Set DATA_DIR or DATABASE_URL to another place, or the keys that belong to this one.',
    );
}

function examineSecret({ authSecret, database }: Config, report: Report): void {
  if (authSecret) report.ok('AUTH_SECRET is set.');
  else if ('url' in database)
    report.look(
      'AUTH_SECRET is not set: each machine makes one of its own, in its DATA_DIR.',
      'Where several machines share the database, set the same AUTH_SECRET on all, or sessions of one are unknown to the others.',
    );
  else report.ok('AUTH_SECRET is not set: the one in DATA_DIR is used.');
}
