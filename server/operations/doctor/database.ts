import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/connect.ts';
import { type Database, explain } from '../../database/database.ts';
import { listPending } from '../../database/migrate.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { readSecret } from '../../identity/secret.ts';
import { readFacts } from '../health/facts.ts';
import { findTroubles } from '../health/problems.ts';
import { toOperatorMessage } from '../operator-message.ts';
import type { Report } from './report.ts';

/** Checks the database and what the shop has recorded in it. Read-only. */
export async function checkDatabase(config: Config, report: Report): Promise<void> {
  const place = config.database;
  // Opening a missing file would create it.
  if ('file' in place && !existsSync(place.file))
    return report.ok('Database: SQLite; the first start makes it.');
  try {
    const { db, engine } = connect<Schema>(place);
    const transaction: Database['transaction'] = (work) => db.transaction().execute(work);
    try {
      if (engine === 'postgres') await examinePostgres(db, report);
      if (await examineSteps(config, db, report))
        await examineFacts({ db, engine, transaction, close: db.destroy }, !config.services, report);
    } finally {
      await db.destroy();
    }
  } catch (error) {
    report.error(
      explain(place, error).message,
      'file' in place
        ? 'Run this command as the user that runs the shop; where the file itself is damaged, restore a backup into an empty DATA_DIR.'
        : 'See that the server runs, that this machine may reach it, and that name, password and database in DATABASE_URL are right.',
    );
  }
  examineSecret(config, report);
  if ('url' in place && !config.authSecret)
    report.warn(
      'AUTH_SECRET is not set: each machine makes one of its own, in its DATA_DIR.',
      'Where several machines share the database, set the same AUTH_SECRET on all, or sessions of one are unknown to the others.',
    );
}

function examineSecret(config: Config, report: Report): void {
  if (config.authSecret) return;
  try {
    if (readSecret(config) === undefined)
      report.warn(
        'AUTH_SECRET is not set and DATA_DIR has no auth-secret: the next start makes one, and everybody has to sign in again.',
        'After a restore, copy the old auth-secret there first.',
      );
  } catch (error) {
    report.error(toOperatorMessage(error), 'The shop does not start without its secret.');
  }
}

/** The major versions that the shop was tested with. */
const tested = { oldest: 15, newest: 18 };

async function examinePostgres(db: Db, report: Report): Promise<void> {
  const began = Date.now();
  // https://www.postgresql.org/docs/current/runtime-config-wal.html
  const { rows } = await sql<{ version: string; now: number; off: string | null }>`
    select current_setting('server_version') as version,
      cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now,
      (select string_agg(name, ', ' order by name) from pg_settings where setting = 'off'
        and name in ('fsync', 'full_page_writes', 'synchronous_commit')) as off`.execute(db);
  for (const { version, now, off } of rows) {
    report.recordClock('the database', now, began);
    const major = Number.parseInt(version, 10);
    if (major >= tested.oldest && major <= tested.newest) report.ok(`Database: PostgreSQL ${version}.`);
    else
      report.warn(
        `Database: PostgreSQL ${version}; the shop was tried with ${tested.oldest} to ${tested.newest}.`,
        'Take one of those.',
      );
    if (off)
      report.error(
        `PostgreSQL has ${off} off: a crash loses orders and payments that were answered, or the whole database.`,
        'Set it on: alter system set … = on.',
      );
  }
}

/** Whether the database has this release's schema. */
async function examineSteps({ services }: Config, db: Db, report: Report): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'migration')) {
    report.ok('Database: it is empty; the first start fills it.');
    return false;
  }
  try {
    const pending = await listPending(db);
    const mode = await db.selectFrom('setting').select('value').where('name', '=', 'mode').executeTakeFirst();
    if (mode && mode.value !== (services ? 'live' : 'sandbox'))
      report.error(
        `Database: it was made ${mode.value === 'live' ? 'for a live shop' : 'in the sandbox'}, but the settings are ${services ? 'live' : 'the sandbox’s'}.`,
        'Set DATA_DIR or DATABASE_URL to another place, or the keys that belong to this one.',
      );
    if (pending.length === 0) {
      report.ok('Database: it is of this version.');
      return true;
    }
    report.warn(
      `Database: it is of an earlier version; the next start brings it forward (${pending.map(({ name }) => name).join(', ')}).`,
      'Make a backup before that start: there is no way back.',
    );
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    report.error(error.message, 'An older release does not run on it; a backup from before it does.');
  }
  return false;
}

/** Reports the same problems as the Health page, and the last backup. */
async function examineFacts(database: Database, sandbox: boolean, report: Report): Promise<void> {
  const facts = await readFacts(database);
  const { payments, webhook, errors, lastBackupAt } = facts;
  for (const { what, act } of findTroubles(facts, { sandbox, startedAt: undefined })) report.warn(what, act);
  for (const { what, times, requestId } of errors.kinds.slice(0, 5))
    report.warn(`${times} × ${what}`, `The log has it, last under requestId ${requestId ?? '(none)'}.`);
  if (webhook.lastOfPaymentAt)
    report.ok(`Webhook: the last event of a payment came ${formatTime(webhook.lastOfPaymentAt)}.`);
  else if (!payments.lastPaidAt) report.ok('Webhook: none has come yet, and nothing was paid.');
  if (lastBackupAt) report.ok(`Backup: the last was made ${formatTime(lastBackupAt)}.`);
}

const formatTime = (at: string) => at.replace('T', ' at ').replace(/\.\d+Z$/, ' UTC');
