import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import type { Facts } from '../../../contract/admin/health.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Config, DatabaseLocation } from '../../config/config.ts';
import { listServerUrls } from '../../config/database-url.ts';
import { formatTime } from '../../config/time-zone.ts';
import { connect, describeModeConflict } from '../../database/database.ts';
import { isReadOnlyServer, toDatabaseError, toOperatorMessage } from '../../database/errors.ts';
import { listPending } from '../../database/migrate.ts';
import { listPrimaries } from '../../database/primaries.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { readSecret } from '../../identity/secret.ts';
import { readFacts } from '../health/facts.ts';
import { findTroubles } from '../health/troubles.ts';
import { checkRecords } from './records.ts';
import type { Report } from './report.ts';

/** Checks the database and what the shop has recorded in it. Read-only. */
export async function checkDatabase(config: Config, report: Report): Promise<void> {
  const place = config.database;
  // Opening a missing file would create it.
  if ('file' in place && !existsSync(place.file))
    return report.ok('Database: SQLite. The first start creates it.');
  if ('url' in place) await checkPrimaries(place.url, report);
  try {
    const database = connect<Schema>(place);
    await using db = database.db;
    if ('url' in place) {
      // This transaction fails behind a pooler in statement mode, where single statements work.
      await db.transaction().execute((tx) => sql`select 1`.execute(tx));
      await checkPostgres(db, report);
      await checkSearchPath(place.url, db, report);
      await checkStandby(place.url, db, report);
    }
    if (await checkSchema(config, db, report)) {
      reportFacts(await readFacts(database), config, report);
      await checkRecords(config, db, report);
    }
  } catch (error) {
    report.error(toDatabaseError(place, error).message, adviseOn(place, error));
  }
  if (!config.authSecret) checkStoredSecret(config, report);
}

function adviseOn(place: DatabaseLocation, error: unknown): string {
  if ('file' in place)
    return 'Run this command as the user that runs the shop. If the file is damaged, restore a backup into an empty DATA_DIR.';
  if (isReadOnlyServer(error))
    return 'Set DATABASE_URL to the primary. If the primary is lost, promote the standby: select pg_promote(). docs/operations.md has the steps.';
  const message = error instanceof Error ? error.message : '';
  // Messages of PgBouncer.
  if (message.includes('statement pooling mode'))
    return 'Set pool_mode = transaction in PgBouncer. In statement mode, the shop does not start.';
  if (message.includes('unsupported startup parameter')) return poolerAdvice;
  return 'Check that the server runs and is reachable from this machine, and check the user, password and database in DATABASE_URL.';
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

const poolerAdvice =
  "Remove options from DATABASE_URL, and set the schema on the role: alter role … set search_path = …. PgBouncer does not pass a connection's options on.";

/** A pooler that ignores the schema in DATABASE_URL would use the tables of another schema. */
async function checkSearchPath(url: string, db: Db, report: Report): Promise<void> {
  const options = new URLSearchParams(url.split('?')[1]).get('options') ?? '';
  const wanted = /search_path=((?:\\.|\S)+)/.exec(options)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const { rows } = await sql<{ actual: string }>`select current_setting('search_path') as actual`.execute(db);
  for (const { actual } of rows)
    if (wanted !== undefined && wanted !== actual)
      report.error(
        `DATABASE_URL sets search_path to ${wanted}, but a connection has ${actual}.`,
        poolerAdvice,
      );
}

async function checkPrimaries(url: string, report: Report): Promise<void> {
  if (listServerUrls(url).length === 1) return;
  const [newest, ...others] = await listPrimaries(url);
  // Servers on the same timeline may be proxies of one server.
  for (const { host, timeline } of others)
    if (newest && timeline < newest.timeline)
      report.error(
        `The server ${host} is an old primary that accepts writes, beside the promoted standby ${newest.host}.`,
        'Stop it, and make it the standby (docs/operations.md).',
      );
}

/** Checks how much data would be lost with the primary: https://www.postgresql.org/docs/current/warm-standby.html */
async function checkStandby(url: string, db: Db, report: Report): Promise<void> {
  // Most columns of `pg_stat_replication` are null for a role without the right to see them.
  const { rows } = await sql<Replication>`
    select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit,
      count(*) as standbys, count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
      count(*) filter (where sync_state is null) as hidden, quote_ident(current_user) as role
    from pg_stat_replication where coalesce(state, 'streaming') = 'streaming'`.execute(db);
  for (const { names, commit, standbys, synchronous, hidden, role } of rows) {
    if (names !== '' && synchronous === 0 && hidden === 0)
      report.error(
        `PostgreSQL waits for a synchronous standby (synchronous_standby_names = ${names}), but none is connected: writes hang.`,
        'Start the standby. Until it is back, do without: alter system reset synchronous_standby_names; select pg_reload_conf();',
      );
    else if (standbys === 0) {
      if (listServerUrls(url).length > 1)
        report.warn(
          'DATABASE_URL names several servers, but no standby is connected to the primary: if the primary is lost, so is the database.',
          'Start the standby, or set up a new one (docs/operations.md).',
        );
    } else if (names === '' || commit === 'local')
      report.warn(
        `PostgreSQL confirms writes before its standby has them (${names === '' ? 'synchronous_standby_names is empty' : 'synchronous_commit = local'}): if the primary is lost, so are the last confirmed orders and the records of payments that Stripe has taken.`,
        "Set it to the standby's application_name (docs/operations.md). After such a loss: npm run reconcile.",
      );
    else if (synchronous === 0)
      report.warn(
        `Database: ${role} cannot see whether the standby is synchronous.`,
        `As the server's superuser: grant pg_read_all_stats to ${role}.`,
      );
    else report.ok('Database: a synchronous standby has every confirmed write.');
  }
}

type Replication = {
  names: string;
  commit: string;
  standbys: number;
  synchronous: number;
  hidden: number;
  role: string;
};

async function checkSchema(config: Config, db: Db, report: Report): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'migration')) {
    report.ok('Database: empty. The first start fills it.');
    return false;
  }
  try {
    const pending = await listPending(db);
    const mode = await db.selectFrom('setting').select('value').where('name', '=', 'mode').executeTakeFirst();
    if (mode && mode.value !== config.mode)
      report.error(
        `${describeModeConflict(mode.value, config.mode)}, so the shop does not start.`,
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
    report.error(error.message, 'Until then, the shop does not start.');
  }
  return false;
}

function reportFacts(facts: Facts, config: Config, report: Report): void {
  const { payments, webhook, errors, lastBackupAt } = facts;
  for (const { what, advice } of findTroubles(facts, config)) report.warn(what, advice);
  for (const { what, times, requestId } of errors.kinds.slice(0, 5))
    report.warn(`${times} × ${what}`, `See the log; the last one has requestId ${requestId ?? '(none)'}.`);
  const format = (at: string) => formatTime(Date.parse(at), config.timeZone);
  if (webhook.lastOfPaymentAt)
    report.ok(`Webhook: the last payment event arrived on ${format(webhook.lastOfPaymentAt)}.`);
  else if (!payments.lastPaidAt) report.ok('Webhook: no event yet, and no payment.');
  if (lastBackupAt) report.ok(`Backup: the last one was made on ${format(lastBackupAt)}.`);
}
