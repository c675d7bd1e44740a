import { sql, type Transaction } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { announceChange } from '../../database/changes.ts';
import { lockDataDir } from '../../database/data-dir.ts';
import { connect } from '../../database/database.ts';
import { codeOf, describeFileError } from '../../database/errors.ts';
import { listPending, migrateWithin } from '../../database/migrate.ts';
import type { Engine, Schema } from '../../database/schema.ts';
import { saveRestoredBackup } from '../../shop/payments/restored-backup.ts';
import { type BackupHead, fromCell } from './format.ts';
import { readBackup } from './read-backup.ts';
import { isDatabaseError } from './snapshot.ts';
import { addCount, type Counts, describeTables, listTables, tables, toIdentifiers } from './tables.ts';

type Content = { head: BackupHead; counts: Counts };

/** Restores into an unused database and migrates it. On SQLite, no server may be running. If it throws, nothing has changed. */
export async function restoreBackup(config: Config, file: string): Promise<Content & { isSandbox: boolean }> {
  const content = await checkBackup(file);
  const release = lockDataDir(config);
  try {
    const { db, engine } = connect<Schema>(config.database);
    await using _ = db;
    const isSandbox = await db.transaction().execute(async (tx) => {
      await dropUnusedTables(tx, engine);
      await migrateWithin(tx, engine, content.head.migrations);
      await insertAll(tx, engine, file);
      await migrateWithin(tx, engine);
      // Running processes have cached pages of the empty shop.
      await announceChange({ db: tx });
      if (await endSandboxPayments(tx)) return true;
      const [made, restored] = [Date.parse(content.head.made), Date.now()];
      await saveRestoredBackup(tx, { made, restored, isReconciled: false });
      return false;
    });
    return { ...content, isSandbox };
  } catch (cause) {
    if (!isDatabaseError(cause)) throw cause;
    const reason = describeFileError(cause) ?? `${cause.message || codeOf(cause) || cause.name}.`;
    const sentence = `${file} was not restored, and nothing was changed: ${reason}`;
    throw new ShopError('unavailable', sentence, { cause });
  } finally {
    release();
  }
}

/** Reads the whole file before anything is written. */
async function checkBackup(file: string): Promise<Content> {
  const counts: Counts = new Map();
  let head: BackupHead | undefined;
  for await (const { head: first, table, rows } of readBackup(file)) {
    head = first;
    addCount(counts, table.table, rows.length);
  }
  if (!head) throw new ShopError('invalid', `${file} has no tables: nothing was restored.`);
  return { head, counts };
}

/**
 * Drops the tables of an unused database, because the backup's release may have had different ones. Throws if the database is in
 * use.
 */
async function dropUnusedTables(tx: Transaction<Schema>, engine: Engine): Promise<void> {
  const found = await describeTables(tx, engine);
  // Throws for a newer release, which may have unknown tables.
  if (found.has('migration')) await listPending(tx);
  for (const name of listTables('user')) {
    if (!found.has(name)) continue;
    const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new ShopError(
        'conflict',
        `DATA_DIR or DATABASE_URL already has a shop in use (its table ${name} is not empty): choose an unused one. Nothing was changed.`,
      );
  }
  // Only tables that this schema has: any other name could mean another program's table on the search path.
  for (const name of Object.keys(tables).reverse())
    if (found.has(name)) await sql`drop table ${sql.id(name)}`.execute(tx);
}

async function insertAll(tx: Transaction<Schema>, engine: Engine, file: string): Promise<void> {
  const existing = await describeTables(tx, engine);
  for await (const batch of readBackup(file)) {
    const { table, columns } = batch.table;
    if (!existing.has(table))
      throw new ShopError('invalid', `${file} is not a backup of this shop: nothing was restored.`);
    if (batch.rows.length === 0) continue;
    const names = toIdentifiers(Object.keys(columns));
    const values = batch.rows.map((row) => sql`(${sql.join(row.map(fromCell))})`);
    await sql`insert into ${sql.id(table)} (${names}) values ${sql.join(values)}`.execute(tx);
  }
}

/**
 * If the backup is a sandbox's, ends the payments, refunds and disputes, which the new stand-in for Stripe does not know. Returns
 * whether it is a sandbox's.
 */
async function endSandboxPayments(tx: Transaction<Schema>): Promise<boolean> {
  const mode = tx.selectFrom('setting').select('value').where('name', '=', 'mode');
  if ((await mode.executeTakeFirst())?.value !== 'sandbox') return false;
  await tx.updateTable('payment').set({ state: 'cancelled' }).where('state', '=', 'open').execute();
  await tx.updateTable('payment').set({ state: 'refunded' }).where('state', '=', 'refund_due').execute();
  await tx.updateTable('refund').set({ status: 'succeeded' }).where('status', '=', 'pending').execute();
  await tx.updateTable('order_line').set({ refund_pending: 0 }).where('refund_pending', '>', 0).execute();
  await tx.updateTable('dispute').set({ status: 'won', is_open: 0 }).where('is_open', '=', 1).execute();
  return true;
}
