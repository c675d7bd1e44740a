import { sql, type Transaction } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { announceChange } from '../../database/changes.ts';
import { connect } from '../../database/connect.ts';
import { lockDataDir } from '../../database/data-dir.ts';
import { describeFileError, toDatabaseError } from '../../database/errors.ts';
import { findUnknownMigration, listPending, migrateWithin } from '../../database/migrate.ts';
import type { Engine, Schema } from '../../database/schema.ts';
import type { BackupCell, BackupHead, BackupTable } from './format.ts';
import { describeTables } from './introspection.ts';
import { newerRelease, readBackup } from './read-backup.ts';
import { insertRows } from './rows.ts';
import { isDatabaseError } from './snapshot.ts';
import { addCount, type Counts, listTables, tables } from './tables.ts';

type Content = { head: BackupHead; counts: Counts };
/** `mode` is `sandbox` or `live`. */
type Restored = Content & { mode: string };

/**
 * Restores a backup into the configured, unused database in one transaction, and migrates it to this release. No server
 * may be running on it. If it throws, nothing has changed.
 */
export async function restoreBackup(config: Config, file: string): Promise<Restored> {
  const content = await checkBackup(file);
  const release = lockDataDir(config);
  try {
    const { db, engine } = connectTo(config);
    try {
      const mode = await db.transaction().execute(async (tx) => {
        await dropUnusedTables(tx, engine);
        await migrateWithin(tx, engine, content.head.migrations);
        await insertAll(tx, engine, file);
        await migrateWithin(tx, engine);
        const setting = tx.selectFrom('setting').select('value').where('name', '=', 'mode');
        const mode = (await setting.executeTakeFirst())?.value ?? '';
        if (mode === 'sandbox') await endSandboxPayments(tx);
        // Running processes have cached pages of the empty shop.
        await announceChange({ db: tx });
        return mode;
      });
      return { ...content, mode };
    } finally {
      await db.destroy();
    }
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const reason =
      describeFileError(error) ?? `${error.message || ('code' in error ? String(error.code) : error.name)}.`;
    throw new ShopError('unavailable', `${file} was not restored, and nothing was changed: ${reason}`, {
      cause: error,
    });
  } finally {
    release();
  }
}

/** Reads the whole file before anything is written. */
async function checkBackup(file: string): Promise<Content> {
  const counts: Counts = new Map();
  let head: BackupHead | undefined;
  let table = '';
  for await (const item of readBackup(file)) {
    if ('head' in item) head = item.head;
    else if ('table' in item) table = item.table.table;
    else addCount(counts, table, 1);
  }
  if (!head) throw new Error('readBackup yields a head or throws.');
  // Checked after the checksum, because a damaged file may look like a newer one.
  const unknown = findUnknownMigration(head.migrations);
  if (unknown) throw newerRelease(file, unknown);
  return { head, counts };
}

function connectTo(config: Config) {
  try {
    return connect<Schema>(config.database);
  } catch (error) {
    throw toDatabaseError(config.database, error);
  }
}

/**
 * Drops the tables that a first start has created, because the backup's release may have had others. Throws if anyone
 * has used this database.
 */
async function dropUnusedTables(tx: Transaction<Schema>, engine: Engine): Promise<void> {
  const found = await describeTables(tx, engine);
  // Throws for a newer release, which may have unknown tables.
  if (found.has('migration')) await listPending(tx);
  const own = listTables('user', 'system', 'temporary').filter((name) => found.has(name));
  for (const name of own.filter((name) => tables[name] === 'user')) {
    const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new ShopError(
        'conflict',
        `DATA_DIR or DATABASE_URL already has a shop in use (its table ${name} is not empty): choose an unused one. Nothing was changed.`,
      );
  }
  for (const name of own.reverse()) await sql`drop table ${sql.id(name)}`.execute(tx);
  // Created by migration 004 along with its table.
  if (engine === 'postgres') await sql`drop function if exists audit_append_only()`.execute(tx);
}

const maxBatch = { rows: 200, bytes: 1_000_000 };

async function insertAll(tx: Transaction<Schema>, engine: Engine, file: string): Promise<void> {
  let table: BackupTable | undefined;
  let rows: BackupCell[][] = [];
  let bytes = 0;
  const existing = await describeTables(tx, engine);
  const insertBatch = async () => {
    if (table && rows.length > 0) await insertRows(tx, table, rows);
    rows = [];
    bytes = 0;
  };
  for await (const item of readBackup(file)) {
    if ('row' in item) {
      rows.push(item.row);
      bytes += item.size;
      if (rows.length >= maxBatch.rows || bytes >= maxBatch.bytes) await insertBatch();
    } else if ('table' in item) {
      await insertBatch();
      table = item.table;
      if (!existing.has(table.table))
        throw new ShopError('invalid', `${file} is not a backup of this shop: nothing was restored.`);
    }
  }
  await insertBatch();
}

/** A restored sandbox has an empty stand-in for Stripe: end the payments and refunds that it no longer knows. */
async function endSandboxPayments(tx: Transaction<Schema>): Promise<void> {
  await tx.updateTable('payment').set({ state: 'cancelled' }).where('state', '=', 'open').execute();
  await tx.updateTable('payment').set({ state: 'refunded' }).where('state', '=', 'refund_due').execute();
}
