import { existsSync } from 'node:fs';
import { sql, type Transaction } from 'kysely';
import { announceChange } from '../changes.ts';
import type { Config } from '../config.ts';
import { takeDataDir } from '../data-dir.ts';
import { connect, type Engine } from '../database/connect.ts';
import { explain } from '../database/database.ts';
import { findUnknown, migrateWithin } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { ShopError } from '../errors.ts';
import { describeFileError } from '../file-errors.ts';
import { type Counts, count } from './counts.ts';
import { clearEmptyPlace } from './empty-place.ts';
import type { Cell, Head } from './format.ts';
import { describeTables, type Table } from './introspection.ts';
import { ofNewerRelease, readBackup } from './reading.ts';
import { insertRows, makeTable } from './rows.ts';
import { attachStandIns, findStandIns, isOfDatabase } from './snapshot.ts';
import { standIns } from './tables.ts';

type Content = { head: Head; counts: Counts };
/** `mode`: `sandbox` or `live`. */
type Restored = Content & { mode: string };

/**
 * Puts a backup into the empty place of these settings, all of it or nothing, and brings it to this release. No server
 * may run there. Throws a sentence where the file or the place is not what it has to be; then nothing has changed.
 */
export async function restoreBackup(config: Config, file: string): Promise<Restored> {
  const content = await check(file);
  const hasStandIns = [...content.counts.keys()].some((name) => name.startsWith(`${standIns}.`));
  const letGo = takeDataDir(config);
  try {
    const { db, engine } = connectTo(config);
    try {
      if (engine === 'sqlite') {
        const own = findStandIns(config);
        await attachStandIns(db, hasStandIns || existsSync(own) ? own : ':memory:');
      }
      const mode = await db.transaction().execute(async (tx) => {
        await clearEmptyPlace(tx, engine);
        if (engine === 'postgres' && hasStandIns)
          await sql`create schema if not exists ${sql.id(standIns)}`.execute(tx);
        await migrateWithin(tx, engine, content.head.migrations);
        await load(tx, engine, file);
        await migrateWithin(tx, engine);
        // A process that has kept pages of the empty shop forgets them.
        await announceChange({ db: tx });
        const setting = tx.selectFrom('setting').select('value').where('name', '=', 'mode');
        return (await setting.executeTakeFirst())?.value ?? '';
      });
      return { ...content, mode };
    } finally {
      await db.destroy();
    }
  } catch (error) {
    if (!isOfDatabase(error)) throw error;
    const reason =
      describeFileError(error) ?? `${error.message || ('code' in error ? String(error.code) : error.name)}.`;
    throw new ShopError('unavailable', `${file} was not restored, and nothing was changed: ${reason}`, {
      cause: error,
    });
  } finally {
    letGo();
  }
}

/** Reads a backup to its end before anything is begun. */
async function check(file: string): Promise<Content> {
  const counts: Counts = new Map();
  let head: Head | undefined;
  let table: Table | undefined;
  for await (const item of readBackup(file)) {
    if ('head' in item) head = item.head;
    else if ('table' in item) {
      table = item.table;
      count(counts, table, 0);
    } else if (table) count(counts, table, 1);
  }
  if (!head) throw new Error('readBackup gives a head or throws.');
  // Not before its end is known to be right: what is damaged may look like something new.
  const unknown = findUnknown(head.migrations);
  if (unknown) throw ofNewerRelease(file, unknown);
  return { head, counts };
}

function connectTo(config: Config) {
  try {
    return connect<Schema>(config.database);
  } catch (error) {
    throw explain(config.database, error);
  }
}

/** Rows are inserted by so many, or so many bytes, at a time. */
const together = { rows: 200, bytes: 1_000_000 };

async function load(tx: Transaction<Schema>, engine: Engine, file: string): Promise<void> {
  let table: Table | undefined;
  let rows: Cell[][] = [];
  let bytes = 0;
  const own = await describeTables(tx, engine);
  const insert = async () => {
    if (table && rows.length > 0) await insertRows(tx, table, rows);
    rows = [];
    bytes = 0;
  };
  for await (const item of readBackup(file)) {
    if ('row' in item) {
      rows.push(item.row);
      bytes += item.size;
      if (rows.length >= together.rows || bytes >= together.bytes) await insert();
    } else if ('table' in item) {
      await insert();
      table = item.table;
      // The shop's own are made by its migrations; a file that names another was not made by the shop.
      if (table.schema) await makeTable(tx, engine, table);
      else if (!own.has(table.name))
        throw new ShopError('invalid', `${file} is not a backup of this shop: nothing was restored.`);
    }
  }
  await insert();
}
