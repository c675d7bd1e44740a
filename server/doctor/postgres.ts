import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../config.ts';
import { poolSize } from '../database/connect.ts';
import type { Db } from '../database/database.ts';
import type { Report } from './report.ts';

/** What the shop was tried with; its statements need 9.5 (`on conflict`). */
const tried = { oldest: 15, newest: 18 };

/** The PostgreSQL behind DATABASE_URL: its version, settings that lose data or are too small, its clock. */
export async function examinePostgres(config: Config, db: Db, report: Report): Promise<void> {
  const began = Date.now();
  const now = await read(
    db,
    sql`select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as value`,
  );
  report.sawClock('the database', Number(now), began);
  await examineVersion(db, report);
  await examineRights(db, report);
  await examineDurability(db, report);
  await examineConnections(config, db, report);

  if ((await show(db, 'transaction_read_only')) === 'on')
    report.wrong(
      'PostgreSQL only reads: it is a standby, or default_transaction_read_only is on.',
      'Let DATABASE_URL name the primary.',
    );
  const encoding = await show(db, 'server_encoding');
  if (encoding !== undefined && encoding !== 'UTF8')
    report.wrong(
      `PostgreSQL keeps this database in ${encoding}.`,
      "Make it anew: create database … encoding 'UTF8'.",
    );
}

async function examineVersion(db: Db, report: Report): Promise<void> {
  const said = await show(db, 'server_version');
  const major = Number.parseInt(said ?? '', 10);
  const name = `PostgreSQL ${said ?? 'of an unknown version'}`;
  if (major >= tried.oldest && major <= tried.newest) report.ok(`Database: ${name}.`);
  else
    report.look(
      `Database: ${name}; the shop was tried with ${tried.oldest} to ${tried.newest}.`,
      'Take one of those.',
    );
}

/** Since PostgreSQL 15 only the database's owner may make tables in `public`. */
async function examineRights(db: Db, report: Report): Promise<void> {
  const may = await read(db, sql`select has_schema_privilege(current_schema(), 'create') as value`);
  if (may === 'false')
    report.wrong(
      'PostgreSQL does not let the user of DATABASE_URL make tables.',
      'Let that user own the database: alter database … owner to ….',
    );
}

async function examineDurability(db: Db, report: Report): Promise<void> {
  // https://www.postgresql.org/docs/current/runtime-config-wal.html
  for (const [name, loses] of [
    ['fsync', 'a power cut can break the whole database'],
    ['full_page_writes', 'a power cut can break the whole database'],
    ['synchronous_commit', 'a crash loses the last orders and payments that were answered'],
  ] as const)
    if ((await show(db, name)) === 'off')
      report.wrong(`PostgreSQL has ${name} off: ${loses}.`, `Set it on: alter system set ${name} = on.`);
}

async function examineConnections(config: Config, db: Db, report: Report): Promise<void> {
  const most = Number(await show(db, 'max_connections'));
  const reserved = Number((await show(db, 'superuser_reserved_connections')) ?? 0);
  if (!Number.isFinite(most)) return;
  // The stand-ins have a schema, and a pool, of their own.
  const mine = config.workers * poolSize * (config.services ? 1 : 2);
  const say = `PostgreSQL takes ${most - reserved} connections, this machine's ${config.workers === 1 ? 'process' : `${config.workers} processes`} up to ${mine}`;
  if (mine > most - reserved) report.wrong(`${say}.`, 'Raise max_connections, or lower WEB_CONCURRENCY.');
  else report.ok(`${say}; all machines together must stay below.`);
}

const show = (db: Db, name: string) => read(db, sql`select current_setting(${name}, true) as value`);

async function read(db: Db, query: RawBuilder<unknown>): Promise<string | undefined> {
  const { rows } = await query.execute(db);
  const [row] = rows;
  const value = typeof row === 'object' && row !== null && 'value' in row ? row.value : undefined;
  return value === null || value === undefined ? undefined : String(value);
}
