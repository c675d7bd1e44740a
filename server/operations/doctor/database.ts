import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Facts } from '../../../contract/health.ts';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/database.ts';
import { toDatabaseError, toOperatorMessage } from '../../database/errors.ts';
import { listPending } from '../../database/migrate.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { readSecret } from '../../identity/secret.ts';
import { readFacts } from '../health/facts.ts';
import { findTroubles } from '../health/troubles.ts';
import { checkAdmins } from './admins.ts';
import type { Report } from './report.ts';
import { checkSales } from './sales.ts';
import { checkStock } from './stock.ts';

/** Checks the database and what the shop has recorded in it. Read-only. */
export async function checkDatabase(config: Config, report: Report): Promise<void> {
  const place = config.database;
  // Opening a missing file would create it.
  if ('file' in place && !existsSync(place.file))
    return report.ok('Database: SQLite. The first start creates it.');
  try {
    const database = connect<Schema>(place);
    await using db = database.db;
    if (database.engine === 'postgres') await checkPostgres(db, report);
    if (await checkSchema(config, db, report)) {
      reportFacts(await readFacts(database), !config.services, report);
      await checkAdmins(config, db, report);
      await checkStock(db, report);
      await checkSales(db, report);
    }
  } catch (error) {
    report.error(
      toDatabaseError(place, error).message,
      'file' in place
        ? 'Run this command as the user that runs the shop. If the file is damaged, restore a backup into an empty DATA_DIR.'
        : 'Check that the server runs and is reachable from this machine, and check the user, password and database in DATABASE_URL.',
    );
  }
  if (!config.authSecret) checkStoredSecret(config, report);
}

function checkStoredSecret(config: Config, report: Report): void {
  try {
    if (readSecret(config) === undefined)
      report.warn(
        'AUTH_SECRET is not set and DATA_DIR has no auth-secret: the next start generates one, and all users must sign in again.',
        'After a restore, copy the old auth-secret there first.',
      );
  } catch (error) {
    report.error(toOperatorMessage(error), 'Correct it: the shop does not start without its secret.');
  }
  if ('url' in config.database)
    report.warn(
      'AUTH_SECRET is not set: each machine generates its own in DATA_DIR.',
      'If several machines share the database, set the same AUTH_SECRET on all of them, so that they accept the same sessions.',
    );
}

/** Major versions of PostgreSQL. */
const [oldestTested, newestTested] = [15, 18];

async function checkPostgres(db: Db, report: Report): Promise<void> {
  const startedAt = Date.now();
  // https://www.postgresql.org/docs/current/runtime-config-wal.html
  const { rows } = await sql<{ version: string; now: number; off: string | null }>`
    select current_setting('server_version') as version,
      cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now,
      (select string_agg(name, ', ' order by name) from pg_settings where setting = 'off'
        and name in ('fsync', 'full_page_writes', 'synchronous_commit')) as off`.execute(db);
  for (const { version, now, off } of rows) {
    report.recordClock('the database', now, startedAt);
    const major = Number.parseInt(version, 10);
    if (major >= oldestTested && major <= newestTested) report.ok(`Database: PostgreSQL ${version}.`);
    else
      report.warn(
        `Database: PostgreSQL ${version}. The shop has been tested with ${oldestTested} to ${newestTested}.`,
        'Use one of those.',
      );
    if (off)
      report.error(
        `PostgreSQL has ${off} off: a crash loses confirmed orders and payments, or the whole database.`,
        'Turn it on: alter system set … = on.',
      );
  }
}

async function checkSchema({ services }: Config, db: Db, report: Report): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'migration')) {
    report.ok('Database: empty. The first start fills it.');
    return false;
  }
  try {
    const pending = await listPending(db);
    const mode = await db.selectFrom('setting').select('value').where('name', '=', 'mode').executeTakeFirst();
    if (mode && mode.value !== (services ? 'live' : 'sandbox'))
      report.error(
        `Database: belongs to a ${mode.value === 'live' ? 'live shop' : 'sandbox'}, but the settings are those of a ${services ? 'live shop' : 'sandbox'}.`,
        'Change DATA_DIR or DATABASE_URL, or set the keys that belong to this database.',
      );
    if (pending.length === 0) {
      report.ok('Database: up to date.');
      return true;
    }
    report.warn(
      `Database: from an earlier release. The next start migrates it (${pending.map(({ name }) => name).join(', ')}).`,
      'Make a backup first: a migration cannot be undone.',
    );
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    report.error(error.message, 'Start the newer release, or restore an older backup.');
  }
  return false;
}

function reportFacts(facts: Facts, sandbox: boolean, report: Report): void {
  const { payments, webhook, errors, lastBackupAt } = facts;
  for (const { what, act } of findTroubles(facts, sandbox)) report.warn(what, act);
  for (const { what, times, requestId } of errors.kinds.slice(0, 5))
    report.warn(`${times} × ${what}`, `See the log; the last one has requestId ${requestId ?? '(none)'}.`);
  if (webhook.lastOfPaymentAt)
    report.ok(`Webhook: the last payment event arrived ${formatTime(webhook.lastOfPaymentAt)}.`);
  else if (!payments.lastPaidAt) report.ok('Webhook: no event yet, and no payment.');
  if (lastBackupAt) report.ok(`Backup: the last one was made ${formatTime(lastBackupAt)}.`);
}

const formatTime = (at: string) => at.replace('T', ' at ').replace(/\.\d+Z$/, ' UTC');
